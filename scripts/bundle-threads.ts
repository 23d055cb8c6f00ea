/** Bundles the program of each thread into one file; docs/decisions/pool.md has the reason. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../dist');

for (const folder of ['workers', 'workers/snapshot', 'apiserver']) {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      // As deep as workers/decode: the WebAssembly module is found by a relative path.
      outDir: join(dist, folder, 'bundle'),
      ssr: join(dist, folder, 'main.js'),
      target: 'node20',
      minify: false,
      emptyOutDir: true,
    },
  });
}
