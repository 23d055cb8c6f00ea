/** Columns of a table that are computed from the results of the rounds. */
import type { Column } from './report.js';
import { median, type Spread, spread } from './statistics.js';

export interface Metric<R> {
  readonly name: string;
  readonly unit: string;
  readonly digits: number;
  /** Undefined where the contender cannot measure it. */
  readonly select: (result: R) => number | undefined;
}

export function columnsOf<R>(metrics: readonly Metric<R>[]): Column[] {
  return metrics.map(({ name, unit, digits }) => ({ name, unit, digits }));
}

export function spreadsOf<R>(metrics: readonly Metric<R>[], results: readonly R[]): Spread[] {
  return metrics.map((metric) => spread(valuesOf(metric, results)));
}

export function medianOf<R>(metric: Pick<Metric<R>, 'select'>, results: readonly R[]): number {
  return median(valuesOf(metric, results));
}

function valuesOf<R>({ select }: Pick<Metric<R>, 'select'>, results: readonly R[]): number[] {
  return results.map((result) => select(result) ?? Number.NaN);
}
