import { median, quantile } from '../statistics.mjs';

const METRICS = [
  ['time to synced, ms', 'syncedMs'],
  ['CPU, ms', 'cpuMs'],
  ['peak memory, MB', 'peakResidentMB'],
];

/** Smaller ones are found between two runs of anything. */
const LEAST_NOISE = 0.03;

/** Of what the middle half of the rounds spans. By once as much, one run in twenty sees a difference where there is none. */
const SPANS = 1.5;

/**
 * The branch beside the base. Noise is how far apart the two runs of the base lie, or one and a half times what the middle half of all its
 * rounds spans, whichever is more.
 */
export function compared(results) {
  return METRICS.map(([name, field]) => {
    const [one, two, three] = ['base', 'base again', 'branch'].map((who) =>
      results.get(who).map((result) => result[field]),
    );
    const both = [...one, ...two];
    const base = median(both);
    const apart = Math.abs(median(one) - median(two));
    const spans = quantile(both, 0.75) - quantile(both, 0.25);
    const noise = Math.max(LEAST_NOISE, apart / base, (SPANS * spans) / base);
    const change = median(three) / base - 1;
    return { name, base, branch: median(three), change, noise, verdict: verdictOf(change, noise) };
  });
}

function verdictOf(change, noise) {
  if (Math.abs(change) <= noise) return 'no difference';
  return change > 0 ? 'worse' : 'better';
}
