#!/usr/bin/env node
/**
 * `npm run test:e2e [-- files]`: the suites on a real control plane. Those that mostly wait, for what is gone to be noticed and to come back,
 * run beside the others, in a process and on a control plane of their own; what they print is shown when they have ended.
 */
import { spawn } from 'node:child_process';

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--project'];

const files = process.argv.slice(2);
const codes =
  files.length > 0
    ? [await run([...VITEST, 'e2e', '--project', 'outages', ...files], 'inherit')]
    : await Promise.all([
        run([...VITEST, 'e2e'], 'inherit'),
        run([...VITEST, 'outages'], ['ignore', 'pipe', 'pipe']),
      ]);
process.exit(codes.every((code) => code === 0) ? 0 : 1);

function run(args, stdio) {
  const child = spawn(process.execPath, args, { stdio });
  const output = [];
  child.stdout?.on('data', (chunk) => output.push(chunk));
  child.stderr?.on('data', (chunk) => output.push(chunk));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}
