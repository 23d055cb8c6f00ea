/** Bundles everything that a worker thread loads into one file; docs/decisions/pool.md has the reason. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const workers = join(dirname(fileURLToPath(import.meta.url)), '../dist/workers');

await build({
  configFile: false,
  logLevel: 'error',
  ssr: { noExternal: true },
  build: {
    // As deep as workers/decode: the WebAssembly module is found by a relative path.
    outDir: join(workers, 'bundle'),
    ssr: join(workers, 'main.js'),
    target: 'node20',
    minify: false,
    emptyOutDir: true,
  },
});
