import { statusErrorOf } from '../kube/status.js';
import type { LeaseVerb } from '../lease/election-types.js';
import { KubeflectError } from '../util/errors.js';

const FORBIDDEN = 403;
const NOT_FOUND = 404;

/** A request for a Lease failed. `name` is `namespace/name`. */
export function leaseError(name: string, verb: LeaseVerb, cause: KubeflectError): KubeflectError {
  const code = statusErrorOf(cause)?.status.code;
  if (code === FORBIDDEN) {
    const message =
      `the Lease ${name} cannot be used: to ${verb} it is forbidden; grant get, create and update of "leases" ` +
      `in the API group "coordination.k8s.io" and in that namespace`;
    return new KubeflectError('KUBEFLECT_LEASE_FORBIDDEN', message, { cause });
  }
  const hint = verb === 'create' && code === NOT_FOUND ? '; does the namespace exist?' : '; it is retried';
  const message = `the Lease ${name} could not be ${PARTICIPLES[verb]}: ${cause.message}${hint}`;
  return new KubeflectError('KUBEFLECT_LEASE_FAILED', message, { cause });
}

const PARTICIPLES: Readonly<Record<LeaseVerb, string>> = {
  get: 'read',
  create: 'created',
  update: 'written',
};

export function releaseFailed(name: string): KubeflectError {
  return new KubeflectError(
    'KUBEFLECT_LEASE_FAILED',
    `the Lease ${name} could not be given back: it expires instead`,
  );
}

export function workTimeout(name: string, timeoutMs: number): KubeflectError {
  return new KubeflectError(
    'KUBEFLECT_STOP_TIMEOUT',
    `the elector of ${name} was stopped, but work of its term has not ended for ${timeoutMs} ms; ` +
      'the Lease is not given back, and expires',
  );
}
