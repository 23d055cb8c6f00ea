import { ApiStatusError } from '../kube/status.js';
import { KubeflectError, TransportError } from '../util/errors.js';
import type { WireError } from '../wire/messages.js';

/** The error that a worker described, as this thread throws it. The worker's own stack, if there is one, is the cause's. */
export function errorOfWire(error: WireError): KubeflectError {
  switch (error.type) {
    case 'status':
      return new ApiStatusError(error.status, error.retryAfterMs);
    case 'transport':
      return new TransportError(error.errno, error.message);
    case 'protocol':
      // Half of an answer, or an answer that is none: as if the connection had been cut there.
      return new TransportError('EOF', error.message);
    case 'hooks':
      return new KubeflectError('KUBEFLECT_HOOKS_FAILED', error.message, workerCause(error.stack));
  }
}

function workerCause(stack: string | undefined): { cause?: Error } {
  if (stack === undefined) return {};
  const cause = new Error('in the worker');
  cause.stack = stack;
  return { cause };
}
