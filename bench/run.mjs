#!/usr/bin/env node
/** `npm run bench -- <case> [options]`. */
import { codec } from './codec.mjs';
import { decode } from './decode.mjs';
import { memory } from './memory.mjs';
import { serve } from './serve.mjs';
import { sync } from './sync.mjs';

const CASES = { sync, memory, decode, codec, serve };

const [name, ...args] = process.argv.slice(2);
const run = name === undefined || !Object.hasOwn(CASES, name) ? undefined : CASES[name];
if (run === undefined) {
  console.error(`usage: npm run bench -- <case> [options]

Cases:
  sync     time to synced, stall and memory of an informer   [--objects 60000] [--bytes 8200] [--rounds 3]
           [--peer client-node,socket] [--decoder auto|simd|json]
           [--workers n] [--page-size n] [--list auto|stream|paged|full]
  decode   documents to cells: reference and SIMD decoder, and where the time goes   [--rounds 5]
  memory   what is left of an informer's memory when every object has changed   [--objects 60000] [--bytes 8200]
           [--rounds 3] [--per-second 2000] [--most-growth 1.3] [--workers n]
  codec    how objects are packed and read, beside msgpackr        [--objects 5000] [--kind Pod]
  serve    how fast the embedded API server serves a large list   [--objects 60000] [--rounds 5]`);
  process.exit(name === undefined || name === '--help' ? 0 : 2);
}
await run(args);
