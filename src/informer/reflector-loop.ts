import type { KubernetesObject } from '../kube/object.js';
import type { IndexReader } from '../store/indexer.js';
import type { ReflectorStore } from '../store/reflector-store.js';
import { type Clock, sleep } from '../util/clock.js';
import type { ErrorReporter } from '../util/error-reporter.js';
import { KubeflectError } from '../util/errors.js';
import type { ResyncPlan } from './resync-plan.js';
import type { ReflectorContext, SharedInformerOptions } from './shared-informer-options.js';

/** client-go's process loop restarts a second after a panic; so does a reflector that ended by itself. */
const RESTART_MS = 1000;

export interface ReflectorLoopOptions<T extends KubernetesObject>
  extends Pick<SharedInformerOptions<T>, 'run' | 'watchErrorHandler'> {
  readonly informerName: string;
  readonly store: ReflectorStore<T>;
  readonly indexer: IndexReader<T>;
  readonly resyncPlan: Pick<ResyncPlan<unknown>, 'checkPeriodMs' | 'poll'>;
  readonly errors: ErrorReporter;
  readonly clock: Clock;
  readonly warmth: Pick<ReflectorContext<T>, 'betweenBatches' | 'prefill' | 'setWarm'>;
}

/** Runs an informer's reflector until the signal aborts, and reports what fails. */
export async function runReflectorLoop<T extends KubernetesObject>(
  options: ReflectorLoopOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  const { informerName, store, indexer, resyncPlan, errors, clock, run } = options;
  const context: ReflectorContext<T> = {
    ...options.warmth,
    store,
    indexer,
    resyncPeriodMs: resyncPlan.checkPeriodMs,
    shouldResync: () => resyncPlan.poll(),
    watchErrorHandler: (
      error: Error,
      { isRepeated }: { readonly isRepeated: boolean } = { isRepeated: false },
    ) => reportWatchError(options, error, isRepeated),
    reportError: (error: KubeflectError) => errors.report(error),
  };
  while (!signal.aborted) {
    let cause: unknown;
    try {
      await run(context, signal);
    } catch (error) {
      cause = error;
    }
    if (signal.aborted) return;
    errors.report(
      new KubeflectError(
        'KUBEFLECT_REFLECTOR_FAILED',
        `the reflector of "${informerName}" ended by itself; it is restarted in ${RESTART_MS} ms`,
        { cause },
      ),
    );
    await sleep(clock, RESTART_MS, signal);
  }
}

function reportWatchError<T extends KubernetesObject>(
  { informerName, errors, watchErrorHandler }: ReflectorLoopOptions<T>,
  cause: Error,
  isRepeated: boolean,
): void {
  const error =
    cause instanceof KubeflectError
      ? cause
      : new KubeflectError(
          'KUBEFLECT_WATCH_FAILED',
          `listing or watching "${informerName}" failed: ${cause.message}`,
          { cause },
        );
  if (watchErrorHandler !== undefined) errors.report(error, () => watchErrorHandler(cause));
  else if (isRepeated) errors.count(error);
  else errors.report(error);
}
