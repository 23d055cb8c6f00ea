/** Makes one file of what a worker thread loads: docs/decisions/pool.md says why. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const workers = join(dirname(fileURLToPath(import.meta.url)), '../dist/workers');

await build({
  configFile: false,
  logLevel: 'error',
  ssr: { noExternal: true },
  build: {
    // As deep as workers/decode, from where the WebAssembly module is found.
    outDir: join(workers, 'bundle'),
    ssr: join(workers, 'main.js'),
    target: 'node20',
    minify: false,
    emptyOutDir: true,
  },
});
