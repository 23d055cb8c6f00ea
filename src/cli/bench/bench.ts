import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from '../command.js';
import { printNote } from '../terminal/output.js';

/** In the repository, after `npm run bench`; the package does not contain it. */
const BENCHMARK = new URL('../../../../dist-test/bench/main.js', import.meta.url);

export const bench: Command = {
  name: 'bench',
  usage: '<case> [options]',
  summary: 'Run the benchmarks (from the repository only)',
  options: {},
  notes: `Passes its arguments to the benchmarks of the repository; without a case, these list the cases and
their options. The benchmarks need the development dependencies, and are not part of the package.
`,
  run,
};

async function run(args: readonly string[]): Promise<number> {
  if (!existsSync(BENCHMARK)) {
    printNote(
      'kubeflect bench: the benchmarks are not part of the package. Clone the repository, then run:\n',
    );
    printNote(`  npm ci && npm run bench -- ${args.join(' ')}`);
    return 1;
  }
  const child = spawn(process.execPath, [fileURLToPath(BENCHMARK), ...args], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to the child too, which then exits by itself.
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
