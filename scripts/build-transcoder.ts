/** Compiles workers/transcoder (AssemblyScript) into dist, unless the compiled module is newer than its sources. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(import.meta.url);
const root = join(dirname(script), '..');
const source = join(root, 'workers/transcoder');
const target = join(root, 'dist/workers/transcoder/transcoder.wasm');

const sources = readdirSync(source, { encoding: 'utf8', recursive: true }).map((name) => join(source, name));
const newest = Math.max(...[script, ...sources].map(modifiedMs));
if (newest > modifiedMs(target)) {
  mkdirSync(dirname(target), { recursive: true });
  // As a program of its own: the types of its API declare AssemblyScript's globals for the scripts too.
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/assemblyscript/bin/asc.js'),
      ...[join(source, 'index.ts'), '--outFile', target],
      ...['--optimizeLevel', '3', '--shrinkLevel', '0', '--noAssert'],
      ...['--enable', 'simd', '--runtime', 'stub', '--initialMemory', '160'],
      // Function names, for profiles.
      '--debug',
      // The only imports are those that workers/decode/transcoder.ts provides.
      ...['--use', 'abort='],
    ],
    { encoding: 'utf8', stdio: ['ignore', 'inherit', 'pipe'] },
  );
  // Its warnings are of no use: they are about 64-bit memories.
  if (status !== 0) process.stderr.write(stderr);
  process.exitCode = status ?? 1;
}

function modifiedMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
