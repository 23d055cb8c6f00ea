import type { KubernetesObject } from '../kube/object.js';
import { invalidOption } from '../util/check-options.js';
import { isPriority, PRIORITIES, type Priority } from './priority-lanes.js';

/** The part of a `SharedInformer` that own writes are reported to. */
export interface WrittenInformer<T extends KubernetesObject = KubernetesObject> {
  wrote(written: T): void;
  wroteDelete(deleted: T, answer?: object): void;
  isCaughtUp(key: string): boolean;
  caughtUp(key: string, options: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<void>;
}

/** Where a reconcile reports what it has written, to any collection of which there is an informer. */
export interface ReconcileWrites {
  /**
   * The reconcile has created or changed an object. Its key is not reconciled again before the informer's cache shows
   * that, or `ownWritesTimeoutMs` have passed; other keys are not delayed. `written`: what the API answered.
   */
  wrote<T extends KubernetesObject>(informer: WrittenInformer<T>, written: NoInfer<T>): void;
  /**
   * The same for a deletion. `deleted`: the object as it was known; `answer`: what the API answered, if that is
   * something else, as a Status. See `SharedInformer.wroteDelete`.
   */
  wroteDelete<T extends KubernetesObject>(
    informer: WrittenInformer<T>,
    deleted: NoInfer<T>,
    answer?: object,
  ): void;
}

export interface ReconcileContext<T extends KubernetesObject = KubernetesObject> extends ReconcileWrites {
  /**
   * The object of the key, as it is in the informer's cache when this is read; undefined if it is deleted. Read-only.
   * Each read decodes it anew.
   */
  readonly object: T | undefined;
  /**
   * Aborted when the controller stops without draining, when the term of `leaderElection` ends, and when the reconcile
   * takes longer than `reconcileTimeoutMs`. Pass it to requests.
   */
  readonly signal: AbortSignal;
  /** How often this key has failed since its last success. */
  readonly retries: number;
}

export interface ReconcileResult {
  /** Reconciles the key again after this time, although it succeeded. */
  readonly requeueAfterMs?: number;
  /**
   * The share of `requeueAfterMs` that is added at random, so that keys do not return at the same time: 0.1 adds up to
   * ten per cent. @default 0
   */
  readonly jitter?: number;
  /** Of the key when it returns. @default that with which it was reconciled */
  readonly priority?: Priority;
}

/**
 * Brings the actual state closer to the desired state of this key's object, which may be deleted. A key is never
 * reconciled concurrently. If it throws, it is retried with exponential backoff, unless it throws a `TerminalError`.
 */
export type Reconcile<T extends KubernetesObject = KubernetesObject> = ReconcileMethod<T>['reconcile'];

/** As a method, so that the options of any controller are options of a controller of objects. */
interface ReconcileMethod<T extends KubernetesObject> {
  reconcile(
    key: string,
    context: ReconcileContext<T>,
  ): ReconcileResult | undefined | Promise<ReconcileResult | undefined> | Promise<void> | void;
}

/** Throws `KUBEFLECT_OPTION_INVALID`. */
export function checkReconcileResult(result: ReconcileResult): void {
  const { requeueAfterMs, jitter, priority } = result;
  if (!isOptionalNumber(requeueAfterMs))
    throw invalidResult('requeueAfterMs must be milliseconds, at least 0');
  if (!isOptionalNumber(jitter)) throw invalidResult('jitter must be a number of at least 0');
  if (priority !== undefined && !isPriority(priority)) {
    throw invalidResult(`priority must be one of ${PRIORITIES.join(', ')}`);
  }
}

function isOptionalNumber(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0);
}

function invalidResult(message: string): Error {
  return invalidOption('the result of reconcile', message);
}
