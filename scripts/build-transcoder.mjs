/** Compiles workers/transcoder (AssemblyScript) into dist, unless what is there is newer than its sources. */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from 'assemblyscript/asc';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const source = join(root, 'workers/transcoder');
const target = join(root, 'dist/workers/transcoder/transcoder.wasm');

const newest = Math.max(
  ...readdirSync(source, { recursive: true }).map((name) => modified(join(source, name))),
  modified(fileURLToPath(import.meta.url)),
);
if (newest > modified(target)) {
  mkdirSync(dirname(target), { recursive: true });
  const { error, stderr } = await main([
    ...[join(source, 'index.ts'), '--outFile', target],
    ...['--optimizeLevel', '3', '--shrinkLevel', '0', '--noAssert'],
    ...['--enable', 'simd', '--runtime', 'stub', '--initialMemory', '160'],
    // Names of functions, for profiles.
    '--debug',
    // Nothing but what workers/decode/transcoder.ts gives is imported.
    ...['--use', 'abort='],
  ]);
  if (error) {
    console.error(String(stderr));
    throw error;
  }
}

function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
