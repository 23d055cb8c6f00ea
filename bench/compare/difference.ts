import { median, quantile } from '../report/statistics.js';
import type { Figures } from './comparisons.js';

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

/** The figures of the rounds. */
export interface Rounds {
  readonly base: readonly Figures[];
  readonly baseAgain: readonly Figures[];
  readonly branch: readonly Figures[];
}

/**
 * Compares the branch with the base, which ran twice in each round. Noise is the larger of the difference between the
 * medians of these two, and one and a half times the interquartile range of all their rounds.
 */
export function differences({ base, baseAgain, branch }: Rounds): Difference[] {
  return Object.keys(branch[0] ?? {}).map((name) => {
    const valuesOf = (rounds: readonly Figures[]): number[] =>
      rounds.map(({ [name]: value = Number.NaN }) => value);
    const [first, second] = [valuesOf(base), valuesOf(baseAgain)];
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
