/** Bundles each thread's program into one file, which loads faster (docs/decisions/pool.md) and keeps the package small. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../dist');

for (const folder of ['workers', 'apiserver']) {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      // As deep as workers/decode, from where the WebAssembly module is found.
      outDir: join(dist, folder, 'bundle'),
      ssr: join(dist, folder, 'main.js'),
      target: 'node20',
      minify: false,
      emptyOutDir: true,
    },
  });
}
