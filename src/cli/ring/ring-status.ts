import type { KubernetesObject } from '../../kube/object.js';
import { isRecord } from '../../kube/object.js';
import { readRingLease } from '../../ring/ring-lease.js';
import { isFree, type MemberView, type RingView, type ShardView } from '../../ring/ring-view.js';

export type LeaseObject = KubernetesObject & { readonly spec?: unknown };

interface MemberStatus {
  readonly id: string;
  /** By the clocks of the member and of this machine; undefined if it has not been renewed yet. */
  readonly renewedMsAgo: number | undefined;
  readonly isLeaving: boolean;
  readonly owned: readonly number[];
  /** Shards that it is ready to take over. */
  readonly prepared: readonly number[];
}

export interface RingStatus {
  readonly shards: number;
  readonly members: readonly MemberStatus[];
  /** Shards that no member owns. */
  readonly free: readonly number[];
}

export function ringStatus(leases: readonly LeaseObject[], nowMs: number): RingStatus {
  const members = new Map<string, MemberView>();
  const shards = new Map<number, ShardView>();
  const renewedMs = new Map<string, number>();
  let size = 0;
  for (const object of leases) {
    const lease = readRingLease(object);
    if (lease?.type === 'shard') {
      shards.set(lease.shard, lease.view);
      size = Math.max(size, lease.shard + 1);
    } else if (lease !== undefined) {
      members.set(lease.view.id, { ...lease.view, seenAtMs: nowMs });
      size = Math.max(size, lease.shards);
      const renewTime = isRecord(object.spec) ? object.spec['renewTime'] : undefined;
      if (typeof renewTime === 'string') renewedMs.set(lease.view.id, Date.parse(renewTime));
    }
  }
  const view: RingView = { members, shards };
  const all = Array.from({ length: size }, (_, shard) => shard);
  const present = [...members.values()].filter(({ id, holder }) => id === holder);
  return {
    shards: size,
    members: present
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ id, isLeaving, prepared }) => {
        const atMs = renewedMs.get(id);
        return {
          id,
          renewedMsAgo: atMs === undefined ? undefined : Math.max(0, nowMs - atMs),
          isLeaving,
          owned: all.filter((shard) => shards.get(shard)?.holder === id),
          prepared: [...prepared].sort((a, b) => a - b),
        };
      }),
    free: all.filter((shard) => isFree(view, shard)),
  };
}

export function statusLines({ shards, members, free }: RingStatus): string[] {
  const lines = [`${shards} shards, ${members.length} members`];
  for (const { id, renewedMsAgo, isLeaving, owned, prepared } of members) {
    const renewed =
      renewedMsAgo === undefined ? 'never renewed' : `renewed ${Math.round(renewedMsAgo / 1000)} s ago`;
    const ready = prepared.length === 0 ? '' : `; ready to take over ${rangesOf(prepared)}`;
    lines.push(
      `  ${id}  ${renewed}${isLeaving ? ', leaving' : ''}: ${owned.length} shards ${rangesOf(owned)}${ready}`.trimEnd(),
    );
  }
  lines.push(
    free.length === 0 ? 'every shard has an owner' : `NO OWNER: ${free.length} shards ${rangesOf(free)}`,
  );
  return lines;
}

/** `0-3,7`. */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
