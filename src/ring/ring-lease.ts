import type { KubernetesObject } from '../kube/object.js';
import { isRecord } from '../kube/object.js';
import { LEASE_API_VERSION, type Lease } from '../lease/lease.js';
import type { MemberView, ShardView } from './ring-view.js';

/** On every Lease of a ring: its name. */
export const RING_LABEL = 'kubeflect.dev/ring';
/** On the Leases of shards: the number. The other Leases of a ring are those of its members. */
const SHARD_LABEL = 'kubeflect.dev/ring-shard';
/** On the Leases of members: how many shards they divide the ring into. */
const SHARDS_LABEL = 'kubeflect.dev/ring-shards';
const PREPARED = 'kubeflect.dev/ring-prepared';
const LEAVING = 'kubeflect.dev/ring-leaving';

export interface RingName {
  readonly namespace: string;
  readonly name: string;
  readonly shards: number;
}

export function memberLabels({ name, shards }: RingName): Record<string, string> {
  return { [RING_LABEL]: name, [SHARDS_LABEL]: String(shards) };
}

export function memberAnnotations(prepared: readonly number[], isLeaving: boolean): Record<string, string> {
  return { [PREPARED]: prepared.join(), [LEAVING]: String(isLeaving) };
}

/** The Lease of a shard. `resourceVersion` is that of the one that it replaces. */
export function shardLease(
  ring: RingName,
  shard: number,
  spec: { readonly holder: string; readonly epoch: number },
  resourceVersion: string | undefined,
): Lease {
  return {
    apiVersion: LEASE_API_VERSION,
    kind: 'Lease',
    metadata: {
      namespace: ring.namespace,
      name: `${ring.name}-shard-${shard}`,
      labels: { [RING_LABEL]: ring.name, [SHARD_LABEL]: String(shard) },
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    spec: { holderIdentity: spec.holder, leaseTransitions: spec.epoch },
  };
}

/** The Lease of a member that is fenced. */
export function fencedLease(ring: RingName, { id, resourceVersion, transitions }: MemberView): Lease {
  return {
    apiVersion: LEASE_API_VERSION,
    kind: 'Lease',
    metadata: {
      namespace: ring.namespace,
      name: id,
      labels: memberLabels(ring),
      resourceVersion,
    },
    spec: { holderIdentity: '', leaseTransitions: transitions + 1 },
  };
}

/** What a Lease of a ring says; undefined for one of something else. */
export type RingLease =
  | { readonly type: 'shard'; readonly shard: number; readonly view: ShardView }
  | {
      readonly type: 'member';
      readonly view: Omit<MemberView, 'seenAtMs'>;
      /** Into how many shards the member divides the ring. */
      readonly shards: number;
    };

interface LabelledMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function readRingLease(object: KubernetesObject): RingLease | undefined {
  const { metadata } = object;
  const spec: unknown = (object as { readonly spec?: unknown }).spec;
  const { holderIdentity, leaseTransitions } = isRecord(spec) ? spec : {};
  const { labels, annotations } = (metadata ?? {}) as LabelledMetadata;
  const resourceVersion = metadata?.resourceVersion ?? '';
  const holder = typeof holderIdentity === 'string' ? holderIdentity : '';
  const transitions = typeof leaseTransitions === 'number' ? leaseTransitions : 0;
  const shard = labels?.[SHARD_LABEL];
  if (shard !== undefined) {
    return { type: 'shard', shard: Number(shard), view: { resourceVersion, holder, epoch: transitions } };
  }
  if (labels?.[SHARDS_LABEL] === undefined) return undefined;
  return {
    type: 'member',
    shards: Number(labels[SHARDS_LABEL]),
    view: {
      id: metadata?.name ?? '',
      resourceVersion,
      holder,
      transitions,
      prepared: new Set(numbersOf(annotations?.[PREPARED] ?? '')),
      isLeaving: annotations?.[LEAVING] === 'true',
    },
  };
}

function numbersOf(list: string): number[] {
  return list === '' ? [] : list.split(',').map(Number);
}
