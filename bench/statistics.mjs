/** Of a handful of rounds. */

export function median(values) {
  return quantile(values, 0.5);
}

/** The nearest rank; of an even count, the upper of the two in the middle. */
export function quantile(values, q) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export function spread(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}
