import { createHash } from 'node:crypto';
import type { RunSeed } from './scenarios.js';

export interface SeedRange {
  readonly from: number;
  readonly seeds: number;
  readonly steps: number;
}

export interface Failure {
  readonly seed: number;
  readonly violation: string;
  readonly tail: readonly string[];
}

/** The result of many seeds, as plain data. */
export interface RangeResult {
  readonly failures: readonly Failure[];
  /** How often each fault and path occurred. */
  readonly counters: Readonly<Record<string, number>>;
  /** Of the traces of all seeds, in order. */
  readonly hash: string;
}

export async function runRange(run: RunSeed, { from, seeds, steps }: SeedRange): Promise<RangeResult> {
  const failures: Failure[] = [];
  const counters: Record<string, number> = {};
  const hash = createHash('sha256');
  for (let seed = from; seed < from + seeds; seed++) {
    const result = await run({ seed, steps });
    hash.update(result.hash);
    for (const [name, times] of result.counters) counters[name] = (counters[name] ?? 0) + times;
    const { violation, tail } = result;
    if (violation !== undefined) failures.push({ seed, violation, tail });
  }
  return { failures, counters, hash: hash.digest('hex') };
}

/** The result of consecutive ranges. */
export function joined(results: readonly RangeResult[]): RangeResult {
  const hash = createHash('sha256');
  const counters: Record<string, number> = {};
  for (const result of results) {
    hash.update(result.hash);
    for (const [name, times] of Object.entries(result.counters)) {
      counters[name] = (counters[name] ?? 0) + times;
    }
  }
  return {
    failures: results.flatMap(({ failures }) => failures),
    counters,
    hash: hash.digest('hex'),
  };
}
