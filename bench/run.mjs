#!/usr/bin/env node
/** `npm run bench -- <case> [options]`. */
import * as codec from './cases/codec.mjs';
import * as decode from './cases/decode.mjs';
import * as fifo from './cases/fifo.mjs';
import * as indexer from './cases/indexer.mjs';
import * as many from './cases/many.mjs';
import * as memory from './cases/memory.mjs';
import * as relist from './cases/relist.mjs';
import * as scale from './cases/scale.mjs';
import * as serve from './cases/serve.mjs';
import * as split from './cases/split.mjs';
import * as sweep from './cases/sweep.mjs';
import * as sync from './cases/sync.mjs';
import * as watch from './cases/watch.mjs';
import { headerOf } from './header.mjs';
import { HELP } from './help.mjs';
import { COMMON, optionsOf } from './options.mjs';
import { present } from './present.mjs';

/** `{ options, run }`: they hand back a report. */
const CASES = { sync, sweep, scale, watch, relist, memory, many, fifo, indexer, split, decode, codec, serve };

const [name, ...args] = process.argv.slice(2);
if (name !== undefined && Object.hasOwn(CASES, name) && !args.includes('--help')) {
  const { options, run } = CASES[name];
  const values = optionsOf(
    args,
    { ...COMMON, ...options },
    'npm run bench -- --help lists the cases and their options',
  );
  present(headerOf(name, args), await run(values), values);
} else {
  const isAsked = name === undefined || name === '--help' || args.includes('--help');
  (isAsked ? console.log : console.error)(HELP);
  process.exit(isAsked ? 0 : 2);
}
