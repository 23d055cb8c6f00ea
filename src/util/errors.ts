/** Stable codes, by stage. Each has an entry in docs/errors.md; a test compares the two in both directions. */
export type ErrorCode =
  | 'KUBEFLECT_OPTION_INVALID'
  | 'KUBEFLECT_CREDENTIALS_FAILED'
  | 'KUBEFLECT_API_STATUS'
  | 'KUBEFLECT_TRANSPORT'
  | 'KUBEFLECT_LIST_FAILED'
  | 'KUBEFLECT_WATCH_FAILED'
  | 'KUBEFLECT_VERY_SHORT_WATCH'
  | 'KUBEFLECT_STALLED'
  | 'KUBEFLECT_REJECTED'
  | 'KUBEFLECT_UNKNOWN_FIELD'
  | 'KUBEFLECT_QUARANTINED'
  | 'KUBEFLECT_BATCH_INVALID'
  | 'KUBEFLECT_STORE_FAILED'
  | 'KUBEFLECT_UNSOUND_BOOKMARK'
  | 'KUBEFLECT_INCONSISTENT_LIST'
  | 'KUBEFLECT_REFLECTOR_RUNNING'
  | 'KUBEFLECT_KEY_INVALID'
  | 'KUBEFLECT_OBJECT_INVALID'
  | 'KUBEFLECT_OBJECT_MUTATED'
  | 'KUBEFLECT_OBJECT_INCOMPLETE'
  | 'KUBEFLECT_OWNER_INVALID'
  | 'KUBEFLECT_ALREADY_OWNED'
  | 'KUBEFLECT_QUEUE_CLOSED'
  | 'KUBEFLECT_REQUEUE'
  | 'KUBEFLECT_INDEX_UNKNOWN'
  | 'KUBEFLECT_INDEX_CONFLICT'
  | 'KUBEFLECT_INDEX_FAILED'
  | 'KUBEFLECT_TRANSFORM_FAILED'
  | 'KUBEFLECT_HANDLER_FAILED'
  | 'KUBEFLECT_HANDLER_SLOW'
  | 'KUBEFLECT_RECONCILE_FAILED'
  | 'KUBEFLECT_RECONCILE_TERMINAL'
  | 'KUBEFLECT_RECONCILE_TIMEOUT'
  | 'KUBEFLECT_REFLECTOR_FAILED'
  | 'KUBEFLECT_INFORMER_STOPPED'
  | 'KUBEFLECT_NOT_CAUGHT_UP'
  | 'KUBEFLECT_STOP_TIMEOUT'
  | 'KUBEFLECT_LISTEN_FAILED'
  | 'KUBEFLECT_SYNC_TIMEOUT'
  | 'KUBEFLECT_MANAGER_FAILED'
  | 'KUBEFLECT_WORKER_LOST'
  | 'KUBEFLECT_WORKER_START_FAILED'
  | 'KUBEFLECT_HOOKS_FAILED'
  | 'KUBEFLECT_ENGINE_CLOSED'
  | 'KUBEFLECT_LIST_FN_DIFFERS'
  | 'KUBEFLECT_LEASE_FAILED'
  | 'KUBEFLECT_LEASE_FORBIDDEN'
  | 'KUBEFLECT_LEADERSHIP_LOST'
  | 'KUBEFLECT_SNAPSHOT_REJECTED'
  | 'KUBEFLECT_SNAPSHOT_FAILED'
  | 'KUBEFLECT_SNAPSHOT_LOCKED';

/**
 * Base of every error of this package. The message says what was expected, what was received, and what to do; it never
 * contains object data or credentials.
 */
export class KubeflectError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** No response, or an incomplete one. `errno` as Node names it, e.g. `ECONNREFUSED`. */
export class TransportError extends KubeflectError {
  readonly errno: string;

  constructor(errno: string, message: string, options?: { cause?: unknown }) {
    super('KUBEFLECT_TRANSPORT', message, options);
    this.errno = errno;
  }
}

/** A worker thread exited, hung, or broke off a stream; what it had not delivered is requested again. */
export class WorkerError extends KubeflectError {
  /** Which of the engine's threads, from 0. */
  readonly worker: number;

  constructor(
    code: 'KUBEFLECT_WORKER_LOST' | 'KUBEFLECT_WORKER_START_FAILED',
    message: string,
    details: { readonly worker: number; readonly cause?: unknown },
  ) {
    super(code, message, 'cause' in details ? { cause: details.cause } : undefined);
    this.worker = details.worker;
  }
}

/** A handler or a reconciler threw, rejected or did not settle in time. The exception is the `cause`. */
export class HandlerError extends KubeflectError {
  readonly handlerName: string;
  readonly key: string;

  constructor(
    code:
      | 'KUBEFLECT_HANDLER_FAILED'
      | 'KUBEFLECT_HANDLER_SLOW'
      | 'KUBEFLECT_RECONCILE_FAILED'
      | 'KUBEFLECT_RECONCILE_TERMINAL'
      | 'KUBEFLECT_RECONCILE_TIMEOUT',
    message: string,
    details: { readonly handlerName: string; readonly key: string; readonly cause?: unknown },
  ) {
    super(code, message, 'cause' in details ? { cause: details.cause } : undefined);
    this.handlerName = details.handlerName;
    this.key = details.key;
  }
}

/** A snapshot could not be used or written. */
export class SnapshotError extends KubeflectError {
  /** See docs/warm-start.md. */
  readonly reason: string;

  constructor(
    code: 'KUBEFLECT_SNAPSHOT_REJECTED' | 'KUBEFLECT_SNAPSHOT_FAILED' | 'KUBEFLECT_SNAPSHOT_LOCKED',
    message: string,
    reason: string,
  ) {
    super(code, message);
    this.reason = reason;
  }
}

/** An object could not be read, user code (hook, index function, transform) failed on it, or a reader mutated it. */
export class EntryError extends KubeflectError {
  readonly key: string;

  constructor(
    code:
      | 'KUBEFLECT_REJECTED'
      | 'KUBEFLECT_QUARANTINED'
      | 'KUBEFLECT_INDEX_FAILED'
      | 'KUBEFLECT_TRANSFORM_FAILED'
      | 'KUBEFLECT_OBJECT_MUTATED',
    message: string,
    details: { readonly key: string; readonly cause?: unknown },
  ) {
    super(code, message, 'cause' in details ? { cause: details.cause } : undefined);
    this.key = details.key;
  }
}

/** Deeper causes are ignored: a chain may be circular. */
const MAX_CAUSES = 10;

/** What was thrown and its causes, from the outermost. */
export function* errorChain(thrown: unknown): Generator<object> {
  let link = thrown;
  for (let depth = 0; depth < MAX_CAUSES && typeof link === 'object' && link !== null; depth++) {
    yield link;
    link = 'cause' in link ? link.cause : undefined;
  }
}
