/**
 * `npm run test:e2e [-- files]`: the suites on a real control plane. The suites that mostly wait, for an outage to be
 * noticed and to end, run beside the others in their own process on their own control plane; their output is printed
 * when they have ended. KUBEFLECT_E2E_REPORTS names a folder for Vitest's reports as JSON.
 */
import { type StdioOptions, spawn } from 'node:child_process';
import { join } from 'node:path';

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--project'];

const files = process.argv.slice(2);
const codes =
  files.length > 0
    ? [await run([...VITEST, 'e2e', '--project', 'outages', ...files, ...reporters('files')], 'inherit')]
    : await Promise.all([
        run([...VITEST, 'e2e', ...reporters('e2e')], 'inherit'),
        run([...VITEST, 'outages', ...reporters('outages')], ['ignore', 'pipe', 'pipe']),
      ]);
process.exit(codes.every((code) => code === 0) ? 0 : 1);

function reporters(name: string): string[] {
  const folder = process.env['KUBEFLECT_E2E_REPORTS'];
  if (!folder) return [];
  return ['--reporter=default', '--reporter=json', `--outputFile.json=${join(folder, `${name}.json`)}`];
}

function run(args: readonly string[], stdio: StdioOptions): Promise<number> {
  const child = spawn(process.execPath, args, { stdio });
  const output: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}
