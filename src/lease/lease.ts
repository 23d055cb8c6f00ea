import { isRecord } from '../kube/object.js';

/** The `spec` of a Lease: client-go's record. Fields that are not named here are kept as they are. */
export interface LeaseSpec extends Readonly<Record<string, unknown>> {
  /** Empty or absent: the Lease is free. */
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  /** RFC 3339 with microseconds, by the writer's clock: for people, never to be compared with a clock. */
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export interface LeaseMetadata extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly namespace: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A `coordination.k8s.io/v1` Lease. What a server sent is kept, so that an update changes nothing else. */
export interface Lease extends Readonly<Record<string, unknown>> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: LeaseMetadata;
  readonly spec?: LeaseSpec;
}

/** Which Lease. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

export const LEASE_API_VERSION = 'coordination.k8s.io/v1';

export const LEASE_METHODS = { get: 'GET', create: 'POST', update: 'PUT', delete: 'DELETE' } as const;

/** The path of a Lease, or of its collection. */
export function leasePath(namespace: string, name?: string): string {
  const collection = `/apis/${LEASE_API_VERSION}/namespaces/${encodeURIComponent(namespace)}/leases`;
  return name === undefined ? collection : `${collection}/${encodeURIComponent(name)}`;
}

/** Undefined for anything that is not a Lease with a version. */
export function asLease(value: unknown): Lease | undefined {
  if (!isRecord(value) || value['kind'] !== 'Lease' || !isRecord(value['metadata'])) return undefined;
  const { name, namespace, resourceVersion } = value['metadata'];
  const isVersioned = [name, namespace, resourceVersion].every((field) => typeof field === 'string');
  const { spec } = value;
  if (!isVersioned || !(spec === undefined || spec === null || isRecord(spec))) return undefined;
  return { ...value, spec: spec ?? {} } as unknown as Lease;
}

/** A `MicroTime`. `micros` are the three digits below the millisecond. */
export function microTime(wallMs: number, micros: number): string {
  return new Date(wallMs).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
}
