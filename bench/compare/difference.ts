import type { ContenderResult } from '../contenders/task.js';
import { median, quantile } from '../report/statistics.js';

type Field = 'syncedMs' | 'cpuMs' | 'peakResidentMB';

const METRICS: readonly (readonly [name: string, field: Field])[] = [
  ['time to synced, ms', 'syncedMs'],
  ['CPU, ms', 'cpuMs'],
  ['peak memory, MB', 'peakResidentMB'],
];

/** Smaller differences appear between any two runs. */
const MIN_NOISE = 0.03;

/** Factor of the interquartile range. With 1, one run in twenty reports a difference where there is none. */
const RANGE_FACTOR = 1.5;

export interface Difference {
  readonly name: string;
  readonly base: number;
  readonly branch: number;
  /** Relative to the base. */
  readonly change: number;
  readonly noise: number;
  readonly verdict: 'no difference' | 'better' | 'worse';
}

type Results = readonly ContenderResult[];

/**
 * Compares the branch with the base, which ran as two contenders. Noise is the larger of the difference between the
 * medians of these two, and one and a half times the interquartile range of all their rounds.
 */
export function differences(base: readonly [Results, Results], branch: Results): Difference[] {
  return METRICS.map(([name, field]) => {
    const valuesOf = (results: Results): number[] => results.map((result) => result[field]);
    const [first, second] = [valuesOf(base[0]), valuesOf(base[1])];
    const all = [...first, ...second];
    const baseMedian = median(all);
    const apart = Math.abs(median(first) - median(second));
    const range = quantile(all, 0.75) - quantile(all, 0.25);
    const noise = Math.max(MIN_NOISE, apart / baseMedian, (RANGE_FACTOR * range) / baseMedian);
    const branchMedian = median(valuesOf(branch));
    const change = branchMedian / baseMedian - 1;
    return { name, base: baseMedian, branch: branchMedian, change, noise, verdict: verdictOf(change, noise) };
  });
}

function verdictOf(change: number, noise: number): Difference['verdict'] {
  if (Math.abs(change) <= noise) return 'no difference';
  return change > 0 ? 'worse' : 'better';
}
