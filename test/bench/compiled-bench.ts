import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/source/source-files.js';

const run = promisify(execFile);

/** Compiles the benchmarks, as `npm run bench` does, and returns a function that runs a case. */
export async function compileBench(): Promise<(...args: string[]) => Promise<string>> {
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(ROOT, 'bench')]);
  return async (...args) =>
    (await run(process.execPath, [join(ROOT, 'dist-test/bench/main.js'), ...args])).stdout;
}
