import { KubeflectError } from '../util/errors.js';
import type { Status } from './status.js';

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
