/**
 * The command line of the control plane: `binaries` finds or builds its programs, `serve` runs one until SIGINT or
 * SIGTERM, `matrix` runs the end-to-end suites on several versions. `npm run controlplane`, `npm run test:e2e` and
 * `npm run test:versions` compile it to dist-test/test/controlplane/main.js.
 */
import { printBinaries } from './binaries.js';
import { serve } from './serve.js';
import { runVersionMatrix } from './version-matrix.js';
import { parseVersion, selectedVersion, UnknownVersionError, versionsOfSuites } from './versions.js';

const USAGE = `usage: main.js binaries [<version> ...]
       main.js serve [--kubernetes <version>] [--kubeconfig <file>] [kube-apiserver flags]
       main.js matrix [<version> ...] [--only <path>]`;

const [command, ...args] = process.argv.slice(2);
try {
  if (command === 'binaries') {
    const versions = args.length === 0 ? versionsOfSuites(selectedVersion()) : args.map(parseVersion);
    for (const version of versions) await printBinaries(version);
  } else if (command === 'serve') await serve(args);
  else if (command === 'matrix') process.exitCode = await runVersionMatrix(args);
  else {
    console.error(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  if (!(error instanceof UnknownVersionError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
