import type { SnapshotRejectionReason } from '../../snapshot/snapshot-rejection.js';
import type { Labels, Metrics } from '../../util/metrics.js';

/** What the snapshots of one informer are measured by; removed with the informer's other metrics. */
export class SnapshotMetrics {
  readonly #metrics: Metrics;
  readonly #labels: Labels;

  constructor(metrics: Metrics, labels: Labels) {
    this.#metrics = metrics;
    this.#labels = labels;
  }

  start(result: 'warm' | SnapshotRejectionReason): void {
    const help = 'Starts by what became of the snapshot: warm, or why the collection was listed.';
    this.#metrics
      .counter('kubeflect_informer_snapshot_starts_total', help)
      .labels({ ...this.#labels, result })
      .increment();
  }

  read(tookMs: number): void {
    this.#metrics
      .histogram('kubeflect_informer_snapshot_read_seconds', 'Time to read a snapshot.')
      .labels(this.#labels)
      .observe(tookMs / 1000);
  }

  written(bytes: number, tookMs: number): void {
    this.#metrics
      .gauge('kubeflect_informer_snapshot_bytes', 'Size of the last snapshot.')
      .labels(this.#labels)
      .set(bytes);
    this.#metrics
      .histogram(
        'kubeflect_informer_snapshot_write_seconds',
        'Time from the capture of a snapshot until it is on the disk.',
      )
      .labels(this.#labels)
      .observe(tookMs / 1000);
  }

  writeFailed(): void {
    this.#metrics
      .counter('kubeflect_informer_snapshot_write_failures_total', 'Snapshots that could not be written.')
      .labels(this.#labels)
      .increment();
  }
}
