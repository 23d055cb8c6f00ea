import type { Clock } from '../util/clock.js';
import type { Distribution, DistributionMetric, Metrics, Value, ValueMetric } from '../util/metrics.js';

export interface WorkQueueGauges {
  readonly depth: () => number;
  /** Start times of the items in progress. */
  readonly startedAtMs: () => Iterable<number>;
}

/** The metrics of one work queue, under client-go's names. */
export class WorkQueueMetrics<T> {
  readonly #clock: Clock;
  readonly #families: readonly (ValueMetric | DistributionMetric)[];
  readonly #labels: { readonly name: string };
  readonly #adds: Value;
  readonly #retries: Value;
  readonly #queueDuration: Distribution;
  readonly #workDuration: Distribution;
  readonly #addedAtMs = new Map<T, number>();

  constructor(metrics: Metrics, name: string, clock: Clock, gauges: WorkQueueGauges) {
    this.#clock = clock;
    this.#labels = { name };
    const depth = metrics.gauge('workqueue_depth', 'Items waiting in the queue.');
    const unfinished = metrics.gauge(
      'workqueue_unfinished_work_seconds',
      'Seconds of work in progress that are not in work_duration yet. Growing values mean stuck workers.',
    );
    const longest = metrics.gauge(
      'workqueue_longest_running_processor_seconds',
      'Seconds that the oldest work in progress has been running.',
    );
    const adds = metrics.counter('workqueue_adds_total', 'Items added, duplicates not counted.');
    const retries = metrics.counter('workqueue_retries_total', 'Items added with a delay.');
    const queueDuration = metrics.histogram(
      'workqueue_queue_duration_seconds',
      'Seconds that an item waited in the queue.',
    );
    const workDuration = metrics.histogram(
      'workqueue_work_duration_seconds',
      'Seconds that processing an item took.',
    );
    this.#families = [depth, unfinished, longest, adds, retries, queueDuration, workDuration];
    depth.labels(this.#labels).read(gauges.depth);
    unfinished.labels(this.#labels).read(() => sum(this.#ages(gauges)));
    longest.labels(this.#labels).read(() => Math.max(0, ...this.#ages(gauges)));
    this.#adds = adds.labels(this.#labels);
    this.#retries = retries.labels(this.#labels);
    this.#queueDuration = queueDuration.labels(this.#labels);
    this.#workDuration = workDuration.labels(this.#labels);
  }

  added(item: T): void {
    this.#adds.increment();
    this.#addedAtMs.set(item, this.#clock.now());
  }

  taken(item: T): void {
    const addedAtMs = this.#addedAtMs.get(item);
    if (addedAtMs === undefined) return;
    this.#addedAtMs.delete(item);
    this.#queueDuration.observe((this.#clock.now() - addedAtMs) / 1000);
  }

  finished(startedAtMs: number): void {
    this.#workDuration.observe((this.#clock.now() - startedAtMs) / 1000);
  }

  retried(): void {
    this.#retries.increment();
  }

  /** Removes the series of a queue that has ended. */
  remove(): void {
    for (const family of this.#families) family.remove(this.#labels);
  }

  #ages({ startedAtMs }: WorkQueueGauges): number[] {
    const now = this.#clock.now();
    return Array.from(startedAtMs(), (startedAt) => (now - startedAt) / 1000);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
