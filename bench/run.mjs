#!/usr/bin/env node
/** `npm run bench -- <case> [options]`. */
import { codec } from './codec.mjs';
import { serve } from './serve.mjs';

const CASES = { codec, serve };

const [name, ...args] = process.argv.slice(2);
const run = name === undefined || !Object.hasOwn(CASES, name) ? undefined : CASES[name];
if (run === undefined) {
  console.error(`usage: npm run bench -- <case> [options]

Cases:
  codec    how objects are packed and read, beside msgpackr        [--objects 5000] [--kind Pod]
  serve    how fast the embedded API server serves a large list   [--objects 60000] [--rounds 5]`);
  process.exit(name === undefined || name === '--help' ? 0 : 2);
}
await run(args);
