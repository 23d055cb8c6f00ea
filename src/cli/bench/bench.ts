import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from '../command.js';
import { note } from '../terminal/output.js';

/** In the repository; the package does not have it. */
const RUN = new URL('../../../../bench/run.mjs', import.meta.url);

export const bench: Command = {
  name: 'bench',
  usage: '<case> [options]',
  summary: 'measures kubeflect beside others; from the repository only',
  options: {},
  notes: `Everything is handed to bench/run.mjs of the repository: "kubeflect bench" without a case lists the cases and their
options. The benchmark needs the development dependencies, and is not part of the package.
`,
  run,
};

async function run(args: readonly string[]): Promise<number> {
  if (!existsSync(RUN)) {
    note(
      'kubeflect bench: the benchmark is part of the repository, not of the package. Clone the repository, then:\n',
    );
    note(`  npm ci && npm run bench -- ${args.join(' ')}`);
    return 1;
  }
  const child = spawn(process.execPath, [fileURLToPath(RUN), ...args], { stdio: 'inherit' });
  // It gets Ctrl-C from the terminal too, and ends by itself.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      process.off('SIGINT', ignore);
      resolve(code ?? 1);
    });
  });
}
