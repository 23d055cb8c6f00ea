import type { Status } from './kube/status.js';

/** Stable codes, by stage. Each has an entry in docs/errors.md; a test compares the two in both directions. */
export type ErrorCode =
  | 'KUBEFLECT_OPTION_INVALID'
  | 'KUBEFLECT_API_STATUS'
  | 'KUBEFLECT_TRANSPORT'
  | 'KUBEFLECT_LIST_FAILED'
  | 'KUBEFLECT_WATCH_FAILED'
  | 'KUBEFLECT_VERY_SHORT_WATCH'
  | 'KUBEFLECT_STALLED'
  | 'KUBEFLECT_REJECTED'
  | 'KUBEFLECT_STORE_FAILED'
  | 'KUBEFLECT_UNSOUND_BOOKMARK'
  | 'KUBEFLECT_INCONSISTENT_LIST'
  | 'KUBEFLECT_REFLECTOR_RUNNING';

/** Base of every error of this package. The message says what was expected, what came, and what to do; never object data or credentials. */
export class KubeflectError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** The server answered, and the answer was a refusal. */
export class ApiStatusError extends KubeflectError {
  readonly status: Status;
  readonly retryAfterMs: number | undefined;

  constructor(status: Status, retryAfterMs?: number) {
    super('KUBEFLECT_API_STATUS', status.message ?? `the server answered ${status.code ?? 'an error'}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer, or half of one. `errno` as Node names it, e.g. `ECONNREFUSED`. */
export class TransportError extends KubeflectError {
  readonly errno: string;

  constructor(errno: string, message: string, options?: { cause?: unknown }) {
    super('KUBEFLECT_TRANSPORT', message, options);
    this.errno = errno;
  }
}
