import { KubeflectError } from '../../util/errors.js';

/** Thrown by the process function of a pop to have its deltas queued again (client-go's ErrRequeue). */
export class RequeueError extends KubeflectError {
  constructor(cause?: unknown) {
    super('KUBEFLECT_REQUEUE', 'the deltas could not be processed now and are queued again', { cause });
  }
}
