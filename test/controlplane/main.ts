/**
 * The command line of the control plane: `binaries` finds or builds its programs, `serve` runs one until SIGINT or
 * SIGTERM. `npm run controlplane` and `npm run test:e2e` compile it to dist-test/test/controlplane/main.js.
 */
import { printBinaries } from './binaries.js';
import { serve } from './serve.js';

const [command, ...args] = process.argv.slice(2);
if (command === 'binaries') await printBinaries();
else if (command === 'serve') await serve(args);
else {
  console.error('usage: main.js binaries | serve [--kubeconfig <file>] [kube-apiserver flags]');
  process.exitCode = 2;
}
