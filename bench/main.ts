/** `npm run bench -- <case> [options]`. */
import type { BenchCase } from './cases/case.js';
import { codec } from './cases/codec.js';
import { decode } from './cases/decode.js';
import { fifo } from './cases/fifo.js';
import { fleet } from './cases/fleet.js';
import { idle } from './cases/idle.js';
import { indexer } from './cases/indexer.js';
import { many } from './cases/many.js';
import { memory } from './cases/memory.js';
import { relist } from './cases/relist.js';
import { restart } from './cases/restart.js';
import { scale } from './cases/scale.js';
import { serve } from './cases/serve.js';
import { shards } from './cases/shards.js';
import { slowReader } from './cases/slow-reader.js';
import { small } from './cases/small.js';
import { split } from './cases/split.js';
import { sweep } from './cases/sweep.js';
import { sync } from './cases/sync.js';
import { watch } from './cases/watch.js';
import { HELP } from './command-line/help.js';
import { headerOf } from './report/header.js';
import { present } from './report/present.js';

const CASES: ReadonlyMap<string, BenchCase> = new Map(
  Object.entries({
    sync,
    sweep,
    scale,
    watch,
    idle,
    small,
    'slow-reader': slowReader,
    relist,
    restart,
    fleet,
    memory,
    many,
    shards,
    fifo,
    indexer,
    split,
    decode,
    codec,
    serve,
  }),
);

const [name = '--help', ...args] = process.argv.slice(2);
const benchCase = CASES.get(name);
const isHelp = name === '--help' || args.includes('--help');
if (benchCase === undefined || isHelp) {
  (isHelp ? console.log : console.error)(HELP);
  process.exitCode = isHelp ? 0 : 2;
} else {
  const { report, output } = await benchCase.run(args);
  present(headerOf(name, args), report, output);
}
