import type { ErrorCode, KubeflectError } from '../util/errors.js';
import { statusErrorOf } from './status.js';

/** An error as plain data, which `JSON.stringify` keeps: an `Error` becomes `{}`. */
export interface ErrorSummary {
  readonly code: ErrorCode;
  readonly message: string;
  /** The HTTP status and the reason of the API server's error response, if it was one: 403 and `Forbidden`. */
  readonly statusCode: number | undefined;
  readonly reason: string | undefined;
}

export function errorSummary(error: KubeflectError): ErrorSummary {
  const status = statusErrorOf(error)?.status;
  return { code: error.code, message: error.message, statusCode: status?.code, reason: status?.reason };
}
