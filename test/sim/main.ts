/** `npm run sim`: runs many seeds in several processes, replays one, plants known bugs, or injects one fault at every point. */

import { fork } from 'node:child_process';
import { readCommandLine } from './command-line.js';
import { uncovered } from './coverage.js';
import { loadEngineSubject } from './engine/engine-subject.js';
import { everySingleFault } from './engine/single-fault.js';
import { findBugs } from './find-bugs.js';
import { loadScenario } from './scenarios.js';
import { joined, type RangeResult, runRange, type SeedRange } from './seed-range.js';

const BUILT = new URL('../../../dist/', import.meta.url);
/** Seeds per chunk: chunks are handed out one at a time, so that all processes end at about the same time. */
const CHUNK = 100;
/** Runs of fewer seeds are not expected to cover every fault and path. */
const MIN_SEEDS_FOR_COVERAGE = 1000;
/** Chunks, and exhaustive runs of a process, between two lines of progress. */
const PROGRESS_EVERY_CHUNKS = 10;
const PROGRESS_EVERY_RUNS = 1000;

const values = readCommandLine(process.argv.slice(2));

const { scenario, steps, processes } = values;

if (values.exhaustive !== undefined) await runExhaustive(values.exhaustive);
else if (values.child) await serveRanges();
else if (values.bugs) await runBugs();
else if (values.seed !== undefined) await replay(values.seed);
else await runSeeds({ from: values.from, seeds: values.seeds, steps });

/** A child process: runs the ranges that the parent sends. */
async function serveRanges(): Promise<void> {
  const run = await loadScenario(scenario, BUILT);
  process.on('message', async (range: SeedRange) => {
    process.send?.(await runRange(run, range));
  });
}

async function replay(seed: number): Promise<void> {
  const run = await loadScenario(scenario, BUILT);
  const { violation, hash, tail } = await run({ seed, steps, isPrinted: values.trace });
  if (violation !== undefined) {
    if (!values.trace) for (const line of tail) console.log(line);
    console.log(`seed ${seed} failed: ${violation}`);
    process.exitCode = 1;
  }
  console.log(hash);
}

async function runSeeds(range: SeedRange): Promise<void> {
  const startMs = performance.now();
  const chunks: SeedRange[] = [];
  for (let at = 0; at < range.seeds; at += CHUNK) {
    chunks.push({ from: range.from + at, seeds: Math.min(CHUNK, range.seeds - at), steps });
  }
  const results: RangeResult[] = [];
  const next = chunks.entries();
  const length = Math.min(processes, chunks.length);
  await Promise.all(Array.from({ length }, () => work(next, results, chunks.length)));
  const { failures, counters, hash } = joined(results);
  for (const { seed, violation, tail } of failures) {
    if (failures.length === 1) for (const line of tail) console.log(line);
    console.log(`seed ${seed} failed: ${violation}`);
    console.log(`replay: npm run sim -- --scenario ${scenario} --seed ${seed} --steps ${steps} --trace`);
  }
  if (values.coverage) {
    for (const [name, times] of Object.entries(counters).sort()) console.log(`${times}\t${name}`);
  }
  const never = range.seeds >= MIN_SEEDS_FOR_COVERAGE ? uncovered(scenario, counters) : [];
  for (const name of never) console.log(`never occurred: ${name}`);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const covered = Object.keys(counters).length;
  console.log(
    `${range.seeds} seeds in ${seconds} s, ${failures.length} failed; ${covered} faults and paths covered`,
  );
  console.log(hash);
  if (failures.length > 0 || never.length > 0) process.exitCode = 1;
}

async function work(
  chunks: IterableIterator<[number, SeedRange]>,
  results: RangeResult[],
  count: number,
): Promise<void> {
  const child = fork(process.argv[1] ?? '', ['--child', '--scenario', scenario]);
  const exited = new Promise<never>((_, reject) => {
    child.once('exit', (code) =>
      reject(new Error(`a child process of the simulation exited with code ${code}`)),
    );
  });
  exited.catch(() => {});
  for (const [index, chunk] of chunks) {
    child.send(chunk);
    const result = new Promise<RangeResult>((resolve) => child.once('message', resolve as () => void));
    results[index] = await Promise.race([result, exited]);
    const done = Object.keys(results).length;
    if (done % PROGRESS_EVERY_CHUNKS === 0) console.error(`${done * CHUNK} of ${count * CHUNK} seeds`);
  }
  child.disconnect();
}

/** Every process takes its share of the messages or bytes. */
async function runExhaustive(kind: 'kill' | 'cut'): Promise<void> {
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
  for await (const { at, last, violation } of everySingleFault(subject, kind, {
    from: values.from,
    stride,
  })) {
    runs++;
    end = last;
    if (runs % PROGRESS_EVERY_RUNS === 0) console.error(`${kind} at ${at} of ${last}`);
    if (violation === undefined) continue;
    failed++;
    console.log(`${kind} at ${at}: ${violation}`);
  }
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const unit = kind === 'kill' ? 'messages' : 'bytes';
  console.log(`${runs} runs of a script of ${end} ${unit} in ${seconds} s, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
  process.disconnect?.();
}

async function runBugs(): Promise<void> {
  let missed = 0;
  let found = 0;
  for await (const { name, seeds, violation } of findBugs(scenario, BUILT, steps, values.only)) {
    if (seeds === undefined) missed++;
    else found++;
    console.log(seeds === undefined ? `missed\t${name}` : `${seeds}\t${name}: ${violation}`);
  }
  console.log(`${found} of ${found + missed} bugs found`);
  if (missed > 0) process.exitCode = 1;
}
