import { UnknownFieldError } from '../kube/protobuf-schema/unknown-field.js';
import { ApiStatusError } from '../kube/status.js';
import { KubeflectError, TransportError } from '../util/errors.js';
import type { WireError } from '../wire/messages.js';

/** Rebuilds the error that a worker described. The worker's own stack, if there is one, is the cause's. */
export function errorFromWire(error: WireError): KubeflectError {
  switch (error.type) {
    case 'status':
      return new ApiStatusError(error.status, error.retryAfterMs);
    case 'transport':
      return new TransportError(error.errno, error.message);
    case 'protocol':
      // A truncated or malformed response is treated like a connection that was cut there.
      return new TransportError('EOF', error.message);
    case 'unknown-field':
      return new UnknownFieldError(error.field);
    case 'hooks':
      return new KubeflectError('KUBEFLECT_HOOKS_FAILED', error.message, causeInWorker(error.stack));
  }
}

function causeInWorker(stack: string | undefined): { cause?: Error } {
  if (stack === undefined) return {};
  const cause = new Error('in the worker');
  cause.stack = stack;
  return { cause };
}
