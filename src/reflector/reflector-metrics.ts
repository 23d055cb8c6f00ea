/** A number that only increases. */
export interface CounterMetric {
  inc(): void;
}

/** A current value. */
export interface GaugeMetric {
  set(value: number): void;
}

/** A distribution of values. */
export interface SummaryMetric {
  observe(value: number): void;
}

/** client-go's reflector metrics, under its names; durations in seconds. */
export interface ReflectorMetrics {
  readonly numberOfLists: CounterMetric;
  readonly listDuration: SummaryMetric;
  readonly numberOfItemsInList: SummaryMetric;
  readonly numberOfWatches: CounterMetric;
  readonly numberOfShortWatches: CounterMetric;
  readonly watchDuration: SummaryMetric;
  readonly numberOfItemsInWatch: SummaryMetric;
  /** As a number, so rounded beyond 2^53: for graphs, not for comparison. */
  readonly lastResourceVersion: GaugeMetric;
}
