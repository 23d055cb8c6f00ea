import type { Clock } from '../util/clock.js';
import { publish } from '../util/diagnostics.js';
import type { Distribution, Metrics, Value, ValueMetric } from '../util/metrics.js';

/** controller-runtime's values of the label `result`. */
export type ReconcileOutcome = 'success' | 'error' | 'requeue' | 'requeue_after';

const OUTCOMES: readonly ReconcileOutcome[] = ['success', 'error', 'requeue', 'requeue_after'];

/** Seconds; controller-runtime's. */
const TIME_BOUNDS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

export interface ReconcileMetricsOptions {
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** The label `controller`. */
  readonly controller: string;
  readonly concurrency: number;
}

/**
 * The reconciles of one controller under controller-runtime's names, so that dashboards made for it work; all series
 * exist from the start. `kubeflect_reconciles_total` has those that have ended by an outcome of their own, without
 * aborted ones.
 */
export class ReconcileMetrics {
  readonly #clock: Clock;
  readonly #controller: string;
  readonly #reconciles: ValueMetric;
  readonly #total: ReadonlyMap<ReconcileOutcome, Value>;
  readonly #errors: Value;
  readonly #terminalErrors: Value;
  readonly #timeouts: Value;
  readonly #time: Distribution;
  #active = 0;

  constructor({ metrics, clock, controller, concurrency }: ReconcileMetricsOptions) {
    this.#clock = clock;
    this.#controller = controller;
    const counter = (name: string, help: string): Value =>
      metrics.counter(`controller_runtime_${name}`, help).labels({ controller });
    const gauge = (name: string, help: string): Value =>
      metrics.gauge(`controller_runtime_${name}`, help).labels({ controller });
    this.#reconciles = metrics.counter(
      'kubeflect_reconciles_total',
      'Reconciles that have ended, by result.',
    );
    const total = metrics.counter(
      'controller_runtime_reconcile_total',
      'Reconciles that have ended, by controller and result.',
    );
    this.#total = new Map(OUTCOMES.map((result) => [result, total.labels({ controller, result })]));
    this.#errors = counter('reconcile_errors_total', 'Reconciles that failed.');
    this.#terminalErrors = counter(
      'terminal_reconcile_errors_total',
      'Reconciles that failed and are not retried.',
    );
    this.#timeouts = counter('reconcile_timeouts_total', 'Reconciles that took longer than their timeout.');
    this.#time = metrics
      .histogram('controller_runtime_reconcile_time_seconds', 'Seconds that a reconcile took.', TIME_BOUNDS)
      .labels({ controller });
    gauge('active_workers', 'Reconciles that are running.').read(() => this.#active);
    gauge('max_concurrent_reconciles', 'Keys that are reconciled at the same time, at most.').set(
      concurrency,
    );
  }

  /** A reconcile begins; the function that is returned must be called once, when it has ended. */
  start(key: string): () => void {
    const controller = this.#controller;
    const startedAtMs = this.#clock.now();
    this.#active++;
    publish('kubeflect:reconcile:start', () => ({ controller, key }));
    return () => {
      const tookMs = this.#clock.now() - startedAtMs;
      this.#active--;
      this.#time.observe(tookMs / 1000);
      publish('kubeflect:reconcile:end', () => ({ controller, key, tookMs }));
    };
  }

  /** What followed from a reconcile. `isTerminal`: its error is not retried. */
  count(outcome: ReconcileOutcome, { isTerminal = false }: { readonly isTerminal?: boolean } = {}): void {
    this.#total.get(outcome)?.increment();
    const result = outcome === 'requeue_after' ? 'requeue' : outcome;
    this.#reconciles.labels({ controller: this.#controller, result }).increment();
    if (outcome !== 'error') return;
    this.#errors.increment();
    if (isTerminal) this.#terminalErrors.increment();
  }

  /** A reconcile was aborted because it took too long. */
  timedOut(): void {
    this.#timeouts.increment();
  }
}
