/** `npm run sim`: many worlds on two processes, one again, old bugs planted, or one accident at every place. */

import { fork } from 'node:child_process';
import { readCommandLine } from './command-line.js';
import { loadEngineSubject } from './engine/engine-subject.js';
import { everyAccident } from './engine/one-accident.js';
import { findBugs } from './find-bugs.js';
import { joined, type RangeResult, runRange, type SeedRange } from './seed-range.js';
import { missing } from './sometimes.js';
import { loadWorld } from './worlds.js';

const BUILT = new URL('../../../dist/', import.meta.url);
/** Ranges are handed out in pieces, so that both processes end at the same time. */
const PIECE = 100;
/** Fewer need not have met everything. */
const ENOUGH_FOR_ALL = 1000;
/** Pieces, and accidents of a process, between two lines that tell how far it is. */
const TOLD_EVERY_PIECES = 10;
const TOLD_EVERY_ACCIDENTS = 1000;

const values = readCommandLine(process.argv.slice(2));

const { world, steps, processes } = values;

if (values.exhaustive !== undefined) await exhaust(values.exhaustive);
else if (values.child) await obey();
else if (values.bugs) await bugs();
else if (values.seed !== undefined) await replay(values.seed);
else await many({ from: values.from, seeds: values.seeds, steps });

/** One of the processes: does the pieces that it is sent. */
async function obey(): Promise<void> {
  const run = await loadWorld(world, BUILT);
  process.on('message', async (range: SeedRange) => {
    process.send?.(await runRange(run, range));
  });
}

async function replay(seed: number): Promise<void> {
  const run = await loadWorld(world, BUILT);
  const { violation, hash, tail } = await run({ seed, steps, isPrinted: values.trace });
  if (violation !== undefined) {
    if (!values.trace) for (const line of tail) console.log(line);
    console.log(`seed ${seed} failed: ${violation}`);
    process.exitCode = 1;
  }
  console.log(hash);
}

async function many(range: SeedRange): Promise<void> {
  const startMs = performance.now();
  const pieces: SeedRange[] = [];
  for (let at = 0; at < range.seeds; at += PIECE) {
    pieces.push({ from: range.from + at, seeds: Math.min(PIECE, range.seeds - at), steps });
  }
  const results: RangeResult[] = [];
  const next = pieces.entries();
  const length = Math.min(processes, pieces.length);
  await Promise.all(Array.from({ length }, () => work(next, results, pieces.length)));
  const { failures, sometimes, hash } = joined(results);
  for (const { seed, violation, tail } of failures) {
    if (failures.length === 1) for (const line of tail) console.log(line);
    console.log(`seed ${seed} failed: ${violation}`);
    console.log(`replay: npm run sim -- --world ${world} --seed ${seed} --steps ${steps} --trace`);
  }
  if (values.sometimes) {
    for (const [name, times] of Object.entries(sometimes).sort()) console.log(`${times}\t${name}`);
  }
  const never = range.seeds >= ENOUGH_FOR_ALL ? missing(world, sometimes) : [];
  for (const name of never) console.log(`never happened: ${name}`);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const kinds = Object.keys(sometimes).length;
  console.log(`${range.seeds} worlds in ${seconds} s, ${failures.length} failed; ${kinds} counters reached`);
  console.log(hash);
  if (failures.length > 0 || never.length > 0) process.exitCode = 1;
}

async function work(
  pieces: IterableIterator<[number, SeedRange]>,
  results: RangeResult[],
  count: number,
): Promise<void> {
  const child = fork(process.argv[1] ?? '', ['--child', '--world', world]);
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`a process of the simulation ended with ${code}`)));
  });
  ended.catch(() => {});
  for (const [index, piece] of pieces) {
    child.send(piece);
    const answered = new Promise<RangeResult>((resolve) => child.once('message', resolve as () => void));
    results[index] = await Promise.race([answered, ended]);
    const done = Object.keys(results).length;
    if (done % TOLD_EVERY_PIECES === 0) console.error(`${done * PIECE} of ${count * PIECE} worlds`);
  }
  child.disconnect();
}

/** Each process does its share of the accidents. */
async function exhaust(kind: 'kill' | 'cut'): Promise<void> {
  const { stride } = values;
  if (!values.child && processes > 1) {
    const codes = await Promise.all(
      Array.from({ length: processes }, (_, index) => {
        const args = ['--child', '--exhaustive', kind, '--from', String(1 + index * stride)];
        const child = fork(process.argv[1] ?? '', [...args, '--stride', String(processes * stride)]);
        return new Promise<number | null>((resolve) => child.once('exit', resolve));
      }),
    );
    if (codes.some((code) => code !== 0)) process.exitCode = 1;
    return;
  }
  const startMs = performance.now();
  let runs = 0;
  let end = 0;
  let failed = 0;
  const subject = await loadEngineSubject(BUILT);
  for await (const { at, last, violation } of everyAccident(subject, kind, {
    from: values.from,
    stride,
  })) {
    runs++;
    end = last;
    if (runs % TOLD_EVERY_ACCIDENTS === 0) console.error(`${kind} at ${at} of ${last}`);
    if (violation === undefined) continue;
    failed++;
    console.log(`${kind} at ${at}: ${violation}`);
  }
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const what = kind === 'kill' ? 'messages' : 'bytes';
  console.log(`${runs} runs of a script of ${end} ${what} in ${seconds} s, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
  process.disconnect?.();
}

async function bugs(): Promise<void> {
  let missed = 0;
  let found = 0;
  for await (const { name, seeds, violation } of findBugs(BUILT, steps, values.only)) {
    if (seeds === undefined) missed++;
    else found++;
    console.log(seeds === undefined ? `missed\t${name}` : `${seeds}\t${name}: ${violation}`);
  }
  console.log(`${found} of ${found + missed} bugs found`);
  if (missed > 0) process.exitCode = 1;
}
