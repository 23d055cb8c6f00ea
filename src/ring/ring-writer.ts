import { statusErrorOf } from '../kube/status.js';
import { leaseError } from '../leader-election/lease-errors.js';
import type { LeaseService } from '../leader-election/lease-service.js';
import { KubeflectError } from '../util/errors.js';
import { fencedLease, type RingName, shardLease } from './ring-lease.js';
import type { RingWrite, WriteResult } from './ring-member.js';

/** Answers of a server that has not made the write, and would not have made it at another version. */
const NOT_ACCEPTED: ReadonlySet<number | undefined> = new Set([400, 401, 403, 422, 429]);
const CONFLICTS: ReadonlySet<number | undefined> = new Set([404, 409]);

/** Makes a conditional write of a Lease. `onFailed` gets what is not a conflict. */
export async function writeRing(
  leases: Pick<LeaseService, 'create' | 'update' | 'delete'>,
  ring: RingName,
  write: RingWrite,
  onFailed: (error: KubeflectError) => void,
): Promise<WriteResult> {
  try {
    return { type: 'written', resourceVersion: await send(leases, ring, write) };
  } catch (error) {
    const code = statusErrorOf(error)?.status.code;
    if (CONFLICTS.has(code)) return { type: 'conflict' };
    if (error instanceof KubeflectError) {
      const name = write.type === 'shard' ? `${ring.name}-shard-${write.shard}` : write.member.id;
      onFailed(leaseError(`${ring.namespace}/${name}`, 'update', error));
    }
    return { type: NOT_ACCEPTED.has(code) ? 'failed' : 'unknown' };
  }
}

async function send(
  leases: Pick<LeaseService, 'create' | 'update' | 'delete'>,
  ring: RingName,
  write: RingWrite,
): Promise<string> {
  if (write.type === 'remove') {
    const { id, resourceVersion } = write.member;
    await leases.delete({ namespace: ring.namespace, name: id }, { resourceVersion });
    return '';
  }
  if (write.type !== 'shard') {
    return (await leases.update(fencedLease(ring, write.member))).metadata.resourceVersion ?? '';
  }
  const { shard, base, holder, epoch } = write;
  const lease = shardLease(ring, shard, { holder, epoch }, base?.resourceVersion);
  const written = await (base === undefined ? leases.create(lease) : leases.update(lease));
  return written.metadata.resourceVersion ?? '';
}
