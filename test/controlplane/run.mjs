/**
 * Runs the `main` of a TypeScript file beside this one: `node test/controlplane/run.mjs <file> [arguments]`.
 * Node 20 cannot load TypeScript; vite, which vitest brings, can.
 */

import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const [name, ...args] = process.argv.slice(2);
const path = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
const { module } = await runnerImport(path, { configFile: false, logLevel: 'error' });
await module.main(args);
