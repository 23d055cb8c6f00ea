import {
  ApiStatusError,
  isDenied,
  isExpired,
  isInternalError,
  isInvalidRequest,
  isStorageReadError,
  isTooLargeResourceVersion,
  isTooManyRequests,
} from '../../kube/status.js';
import { type ErrorCode, errorChain, KubeflectError, TransportError } from '../../util/errors.js';

/** What went wrong, as far as the reflector distinguishes it. */
export type FailureKind =
  | 'expired'
  | 'too-large'
  | 'too-many-requests'
  | 'internal'
  | 'invalid'
  | 'storage-read'
  /** Not authenticated, not allowed, or no such collection; each may change. */
  | 'denied'
  /** Connection refused: the server is down, and the last version is still valid. */
  | 'refused'
  /** The connection was closed; before the response began this is a very short watch, later the end of the stream. */
  | 'cut'
  /** No connection for another reason: name lookup, TLS, no route. */
  | 'unreachable'
  /** No response, or no more of it: packets are lost, or a proxy's backend is gone. The last version is still valid. */
  | 'unanswered'
  /** The worker thread was lost, for no fault of the server or the version: request again on another one. */
  | 'lost'
  /** A field that this encoding would lose: the lister-watcher requests another encoding from now on. */
  | 'unknown-field'
  /** The source was silent for longer than its timeout. */
  | 'stalled'
  | 'very-short'
  /** Watches in a row that were closed long before their timeout, and without an event. */
  | 'closed-silently'
  /** An item or event that could not be read, or failed the type check, and may belong to the collection. */
  | 'unreadable'
  /** An event older than an earlier bookmark. */
  | 'unsound-bookmark'
  /** The watch of a warm start shows that the server has another history than the snapshot. */
  | 'other-history'
  | 'store'
  | 'resync'
  | 'other';

export interface Failure {
  readonly kind: FailureKind;
  readonly error: Error;
  /** The server's Retry-After. */
  readonly retryAfterMs?: number;
}

/** Codes of Node and HTTP clients for a connection that the other side, or something between, closed. */
const CUT: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'EOF',
  // A worker's code for a body that ended too early.
  'truncated',
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_SESSION_ERROR',
  'ERR_HTTP2_STREAM_ERROR',
  'ERR_HTTP2_STREAM_CANCEL',
  'ERR_STREAM_PREMATURE_CLOSE',
  'UND_ERR_SOCKET',
]);

const KINDS: ReadonlyMap<ErrorCode, FailureKind> = new Map([
  ['KUBEFLECT_STALLED', 'stalled'],
  ['KUBEFLECT_WORKER_LOST', 'lost'],
  ['KUBEFLECT_UNKNOWN_FIELD', 'unknown-field'],
  // No request could be sent: the last version is still valid.
  ['KUBEFLECT_WORKER_START_FAILED', 'unreachable'],
  ['KUBEFLECT_CREDENTIALS_FAILED', 'unreachable'],
]);

/** Classifies what a lister-watcher threw, including its causes. */
export function failureOf(thrown: unknown): Failure {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  for (const link of errorChain(thrown)) {
    if (link instanceof ApiStatusError) return statusFailure(link, error);
    const kind = link instanceof KubeflectError ? KINDS.get(link.code) : undefined;
    if (kind !== undefined) return { kind, error };
    const errno = errnoOf(link);
    if (errno === 'ECONNREFUSED') return { kind: 'refused', error };
    if (errno === 'ETIMEDOUT') return { kind: 'unanswered', error };
    if (errno !== undefined && CUT.has(errno)) return { kind: 'cut', error };
    if (link instanceof TransportError) return { kind: 'unreachable', error };
  }
  return { kind: 'other', error };
}

const INDEPENDENT_OF_REQUEST: ReadonlySet<FailureKind> = new Set([
  'denied',
  'unreachable',
  'unanswered',
  'lost',
]);

/** False for failures that any other request would have had as well. */
export function isCausedByRequest({ kind }: Failure): boolean {
  return !INDEPENDENT_OF_REQUEST.has(kind);
}

export function veryShort(cause?: Error): Failure {
  const message =
    'very short watch: closed within a second and without an event; the server may be overloaded';
  return { kind: 'very-short', error: new KubeflectError('KUBEFLECT_VERY_SHORT_WATCH', message, { cause }) };
}

export function closedSilently(closes: number): Failure {
  const message = `${closes} watches in a row were closed long before their timeout and without an event; the server may no longer have their version`;
  return { kind: 'closed-silently', error: new KubeflectError('KUBEFLECT_VERY_SHORT_WATCH', message) };
}

export function closedEarly(): Failure {
  const message = 'the streaming list was closed before its end bookmark';
  return { kind: 'cut', error: new KubeflectError('KUBEFLECT_WATCH_FAILED', message) };
}

export function stalled(message: string): Failure {
  return { kind: 'stalled', error: new KubeflectError('KUBEFLECT_STALLED', message) };
}

function statusFailure(source: ApiStatusError, error: Error): Failure {
  const { status } = source;
  const kind = statusKind(source);
  const seconds = status.details?.retryAfterSeconds;
  const retryAfterMs = source.retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000);
  const isUsable = retryAfterMs !== undefined && Number.isFinite(retryAfterMs) && retryAfterMs > 0;
  return isUsable ? { kind, error, retryAfterMs } : { kind, error };
}

function statusKind({ status }: ApiStatusError): FailureKind {
  if (isExpired(status)) return 'expired';
  if (isTooLargeResourceVersion(status)) return 'too-large';
  if (isTooManyRequests(status)) return 'too-many-requests';
  if (isStorageReadError(status)) return 'storage-read';
  if (isInternalError(status)) return 'internal';
  if (isInvalidRequest(status)) return 'invalid';
  if (isDenied(status)) return 'denied';
  return 'other';
}

function errnoOf(link: object): string | undefined {
  if (link instanceof TransportError) return link.errno;
  const code = 'code' in link ? link.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
