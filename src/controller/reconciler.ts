import type { KubernetesObject } from '../kube/object.js';
import type { Clock, Random } from '../util/clock.js';
import type { ErrorReporter } from '../util/error-reporter.js';
import { HandlerError } from '../util/errors.js';
import type { HeldKeys } from './held-keys.js';
import { checkReconcileResult, type Reconcile, type ReconcileResult } from './reconcile.js';
import { ReconcileDeadline } from './reconcile-deadline.js';
import type { ReconcileMetrics } from './reconcile-metrics.js';
import { isTerminal } from './terminal-error.js';
import type { WorkQueue } from './work-queue.js';

export interface ReconcilerOptions {
  /** Of the controller. */
  readonly name: string;
  readonly reconcile: Reconcile;
  /** The object of a key. */
  readonly objectOf: (key: string) => KubernetesObject | undefined;
  /** Absent: none. */
  readonly timeoutMs: number | undefined;
  readonly queue: WorkQueue<string>;
  readonly held: HeldKeys;
  readonly metrics: ReconcileMetrics;
  readonly errors: ErrorReporter;
  readonly clock: Clock;
  readonly random: Random;
}

/** Reconciles one key and decides what follows: forgotten, later again, or retried. Counts and reports the outcome. */
export class Reconciler {
  readonly #options: ReconcilerOptions;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** `onSuspended` is called when the reconciler's code has returned, and what it began may still be running. */
  async process(key: string, signal: AbortSignal, onSuspended: () => void): Promise<void> {
    const { queue, reconcile, objectOf, held, metrics } = this.#options;
    const end = metrics.start(key);
    const deadline = this.#deadlineOf(key, signal);
    try {
      const reconciled = reconcile(key, {
        signal: deadline?.signal ?? signal,
        retries: queue.numRequeues(key),
        ...held.writesOf(key),
        get object() {
          return objectOf(key);
        },
      });
      onSuspended();
      const result = await reconciled;
      // It may have returned because of its signal, without having done its work.
      if (deadline?.isOver) this.#retry(key);
      else this.#succeed(key, result ?? undefined);
    } catch (error) {
      // An aborted reconcile has not failed.
      if (signal.aborted) return;
      if (isTerminal(error)) this.#giveUp(key, error);
      else {
        this.#retry(key);
        // The timeout was reported; this is its consequence.
        if (!deadline?.isOver) this.#reportFailure(key, error);
      }
    } finally {
      deadline?.end();
      end();
    }
  }

  #deadlineOf(key: string, parent: AbortSignal): ReconcileDeadline | undefined {
    const { timeoutMs, clock } = this.#options;
    if (timeoutMs === undefined) return undefined;
    return new ReconcileDeadline({
      clock,
      timeoutMs,
      parent,
      onTimeout: () => this.#timedOut(key, timeoutMs),
    });
  }

  #timedOut(key: string, timeoutMs: number): HandlerError {
    const { name, errors, metrics } = this.#options;
    metrics.timedOut();
    const error = new HandlerError(
      'KUBEFLECT_RECONCILE_TIMEOUT',
      `reconciling "${key}" by "${name}" has taken longer than ${timeoutMs} ms; it will be retried when it has ended`,
      { handlerName: name, key },
    );
    errors.report(error);
    return error;
  }

  #succeed(key: string, result: ReconcileResult | undefined): void {
    const { queue, random, metrics } = this.#options;
    if (result !== undefined) checkReconcileResult(result);
    queue.forget(key);
    const { requeueAfterMs, jitter = 0, priority = queue.priorityOf(key) } = result ?? {};
    if (requeueAfterMs !== undefined) {
      queue.addAfter(key, requeueAfterMs * (1 + jitter * random()), { ...(priority && { priority }) });
    }
    metrics.count(requeueAfterMs === undefined ? 'success' : 'requeue_after');
  }

  #retry(key: string): void {
    const { queue, metrics } = this.#options;
    const priority = queue.priorityOf(key);
    queue.addRateLimited(key, { ...(priority && { priority }) });
    metrics.count('error');
  }

  #giveUp(key: string, cause: unknown): void {
    const { name, queue, errors, metrics } = this.#options;
    queue.forget(key);
    metrics.count('error', { isTerminal: true });
    errors.report(
      new HandlerError(
        'KUBEFLECT_RECONCILE_TERMINAL',
        `reconciling "${key}" by "${name}" failed with a terminal error; it is not retried until something changes`,
        { handlerName: name, key, cause },
      ),
    );
  }

  #reportFailure(key: string, cause: unknown): void {
    const { name, errors } = this.#options;
    errors.report(
      new HandlerError(
        'KUBEFLECT_RECONCILE_FAILED',
        `reconciling "${key}" by "${name}" failed; it will be retried`,
        { handlerName: name, key, cause },
      ),
    );
  }
}
