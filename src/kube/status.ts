import { errorChain, KubeflectError } from '../util/errors.js';
import { isRecord } from './object.js';

/** `v1 Status`, the body of an API server's error responses and of ERROR events. */
export interface Status {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly metadata?: { readonly continue?: string };
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly {
      readonly reason?: string;
      readonly message?: string;
      readonly field?: string;
    }[];
  };
}

const TOO_LARGE_MESSAGE = 'Too large resource version';

/** apimachinery's known reasons. The reason decides; the code counts only if the reason is none of these. */
const KNOWN_REASONS: ReadonlySet<string> = new Set([
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Invalid',
  'ServerTimeout',
  'StorageReadError',
  'Timeout',
  'TooManyRequests',
  'BadRequest',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'InternalError',
  'Expired',
  'ServiceUnavailable',
]);

function is(status: Status, reason: string, code: number): boolean {
  if (status.reason === reason) return true;
  return status.code === code && !KNOWN_REASONS.has(status.reason ?? '');
}

/** The requested version or continue token has expired. Servers before 1.18 mixed Gone and Expired. */
export function isExpired(status: Status): boolean {
  return status.reason === 'Expired' || is(status, 'Gone', 410);
}

/** The requested version is ahead of the server, in the three forms that servers have used (1.17, 1.18, since). */
export function isTooLargeResourceVersion(status: Status): boolean {
  const causes = status.details?.causes ?? [];
  if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  if (!is(status, 'Timeout', 504)) return false;
  if (causes.some((cause) => cause.message === TOO_LARGE_MESSAGE)) return true;
  return status.message?.includes(TOO_LARGE_MESSAGE) ?? false;
}

/** By code whatever the reason: API Priority and Fairness responds with 429 in plain text. */
export function isTooManyRequests(status: Status): boolean {
  return status.reason === 'TooManyRequests' || status.code === 429;
}

export function isInternalError(status: Status): boolean {
  return is(status, 'InternalError', 500);
}

/** The response of a server without streaming lists: the request itself is invalid, at any time. */
export function isInvalidRequest(status: Status): boolean {
  return is(status, 'Invalid', 422) || is(status, 'BadRequest', 400);
}

/** Not authenticated, not allowed, or no such collection: each may change while the informer runs. */
export function isDenied(status: Status): boolean {
  return is(status, 'Unauthorized', 401) || is(status, 'Forbidden', 403) || is(status, 'NotFound', 404);
}

/** The storage removed an object that it could not read; only a new list shows what is left. */
export function isStorageReadError(status: Status): boolean {
  return status.reason === 'StorageReadError';
}

const STATUS_VERSIONS: ReadonlySet<unknown> = new Set(['v1', 'meta.k8s.io/v1']);

/** The Status of an ERROR event. Any other object becomes one without a reason, like client-go's unexpected object. */
export function statusOfErrorEvent(object: unknown): Status {
  if (isRecord(object) && object['kind'] === 'Status' && STATUS_VERSIONS.has(object['apiVersion'])) {
    return object as Status;
  }
  return { message: 'the server sent an ERROR event without a Status' };
}

/** The server responded with an error. */
export class ApiStatusError extends KubeflectError {
  readonly status: Status;
  readonly retryAfterMs: number | undefined;

  constructor(status: Status, retryAfterMs?: number) {
    super('KUBEFLECT_API_STATUS', status.message ?? `the server responded with ${status.code ?? 'an error'}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The server's error response among the causes of an error. */
export function statusErrorOf(thrown: unknown): ApiStatusError | undefined {
  for (const link of errorChain(thrown)) if (link instanceof ApiStatusError) return link;
  return undefined;
}
