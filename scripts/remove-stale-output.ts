/** Removes compiled files whose source was moved or deleted: the compiler leaves them in dist, and npm would pack them. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');

/** Made by other steps of the build. */
const NOT_COMPILED = /^workers\/(bundle|transcoder)\/|^apiserver\/bundle\//;
const COMPILED = /(\.d)?\.(c?)[jt]s(\.map)?$/;

for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name);
  const path = relative(dist, file);
  if (!entry.isFile() || !COMPILED.test(path) || NOT_COMPILED.test(path)) continue;
  const hasSource = existsSync(join(root, path.replace(COMPILED, '.$2ts')));
  // Declaration maps are turned off in tsconfig.json; builds before that made them.
  if (!hasSource || /\.d\.c?ts\.map$/.test(path)) rmSync(file);
}
