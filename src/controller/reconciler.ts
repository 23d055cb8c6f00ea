import type { ErrorReporter } from '../util/error-reporter.js';
import { HandlerError } from '../util/errors.js';
import type { Reconcile } from './reconcile.js';
import type { ReconcileMetrics } from './reconcile-metrics.js';
import type { WorkQueue } from './work-queue.js';

export interface ReconcilerOptions {
  /** Of the controller. */
  readonly name: string;
  readonly reconcile: Reconcile;
  readonly queue: WorkQueue<string>;
  readonly metrics: ReconcileMetrics;
  readonly errors: ErrorReporter;
}

/** Reconciles one key and decides what follows: forgotten, later again, or retried. Counts and reports the outcome. */
export class Reconciler {
  readonly #options: ReconcilerOptions;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** `onSuspended` is called when the reconciler's code has returned, and what it began may still be running. */
  async process(key: string, signal: AbortSignal, onSuspended: () => void): Promise<void> {
    const { queue, reconcile, metrics } = this.#options;
    const end = metrics.start();
    try {
      const reconciled = reconcile(key, { signal, retries: queue.numRequeues(key) });
      onSuspended();
      const result = await reconciled;
      queue.forget(key);
      const requeueAfterMs = result?.requeueAfterMs;
      if (requeueAfterMs !== undefined) queue.addAfter(key, requeueAfterMs);
      metrics.count(requeueAfterMs === undefined ? 'success' : 'requeue_after');
    } catch (error) {
      // An aborted reconcile has not failed.
      if (!signal.aborted) this.#retry(key, error);
    } finally {
      end();
    }
  }

  #retry(key: string, cause: unknown): void {
    const { name, queue, errors, metrics } = this.#options;
    queue.addRateLimited(key);
    metrics.count('error');
    errors.report(
      new HandlerError(
        'KUBEFLECT_RECONCILE_FAILED',
        `reconciling "${key}" by "${name}" failed; it will be retried`,
        { handlerName: name, key, cause },
      ),
    );
  }
}
