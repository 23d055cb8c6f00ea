import { createHash } from 'node:crypto';
import type { RunWorld } from './worlds.js';

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

/** What came of many seeds, as plain data. */
export interface RangeResult {
  readonly failures: readonly Failure[];
  /** Counter → how often. */
  readonly sometimes: Readonly<Record<string, number>>;
  /** Over the traces of all seeds, in order. */
  readonly hash: string;
}

export async function runRange(run: RunWorld, { from, seeds, steps }: SeedRange): Promise<RangeResult> {
  const failures: Failure[] = [];
  const sometimes: Record<string, number> = {};
  const hash = createHash('sha256');
  for (let seed = from; seed < from + seeds; seed++) {
    const result = await run({ seed, steps });
    hash.update(result.hash);
    for (const [name, times] of result.sometimes) sometimes[name] = (sometimes[name] ?? 0) + times;
    const { violation, tail } = result;
    if (violation !== undefined) failures.push({ seed, violation, tail });
  }
  return { failures, sometimes, hash: hash.digest('hex') };
}

/** Of ranges that follow one another. */
export function joined(results: readonly RangeResult[]): RangeResult {
  const hash = createHash('sha256');
  const sometimes: Record<string, number> = {};
  for (const result of results) {
    hash.update(result.hash);
    for (const [name, times] of Object.entries(result.sometimes)) {
      sometimes[name] = (sometimes[name] ?? 0) + times;
    }
  }
  return {
    failures: results.flatMap(({ failures }) => failures),
    sometimes,
    hash: hash.digest('hex'),
  };
}
