import { describe, expect, it } from 'vitest';
import { assignShards } from '#dist/src/ring/assignment.js';
import { type RingFacts, RingMember, type RingStep, type RingWrite } from '#dist/src/ring/ring-member.js';
import type { MemberView, RingView, ShardView } from '#dist/src/ring/ring-view.js';

const SHARDS = 4;
const LEASE_MS = 10_000;
const SETTLE_MS = 2000;

/** One member, the Leases that it sees, and its clock. */
class World {
  readonly member: RingMember;
  readonly members = new Map<string, MemberView>();
  readonly shards = new Map<number, ShardView>();
  readonly busy = new Set<number>();
  nowMs = 100_000;
  #version = 1;

  constructor(id: string) {
    this.member = new RingMember({ id, shards: SHARDS, leaseDurationMs: LEASE_MS, settleMs: SETTLE_MS });
    this.renew(id);
  }

  renew(id: string, prepared: readonly number[] = []): void {
    this.members.set(id, {
      id,
      resourceVersion: String(this.#version++),
      holder: id,
      transitions: 0,
      seenAtMs: this.nowMs,
      prepared: new Set(prepared),
      isLeaving: false,
    });
  }

  own(shard: number, holder: string): void {
    const epoch = (this.shards.get(shard)?.epoch ?? -1) + 1;
    this.shards.set(shard, { resourceVersion: String(this.#version++), holder, epoch });
  }

  step(): RingStep {
    const view: RingView = { members: this.members, shards: this.shards };
    const facts: RingFacts = {
      nowMs: this.nowMs,
      memberSinceMs: 0,
      isLeaving: false,
      isSynced: () => true,
      isConfirmed: () => true,
      isIdle: (shard) => !this.busy.has(shard),
    };
    return this.member.step(view, facts);
  }

  /** A step, after which its writes have been made, and are seen. */
  settle(): RingStep {
    const step = this.step();
    for (const write of step.writes) {
      if (write.type === 'shard') {
        this.own(write.shard, write.holder);
        const resourceVersion = this.shards.get(write.shard)?.resourceVersion ?? '';
        this.member.finished(write, { type: 'written', resourceVersion }, this.nowMs);
      } else this.member.finished(write, { type: 'conflict' }, this.nowMs);
    }
    return step;
  }
}

function claimed(step: RingStep): number[] {
  return step.writes.flatMap((write: RingWrite) => (write.type === 'shard' ? [write.shard] : []));
}

/** The shards of a member among these. */
function shardsOf(id: string, members: readonly string[]): number[] {
  return assignShards(SHARDS, members).flatMap((wish, shard) => (wish === id ? [shard] : []));
}

describe('a member of a ring', () => {
  it('waits for as long as a Lease lasts before it takes shards of a member whose Lease was deleted', () => {
    const world = new World('a');
    world.renew('b');
    for (let shard = 0; shard < SHARDS; shard++) world.own(shard, 'b');
    expect(claimed(world.step())).toEqual([]);
    world.members.delete('b');
    expect(claimed(world.step())).toEqual([]);
    world.nowMs += LEASE_MS - 1;
    world.renew('a');
    expect(claimed(world.step())).toEqual([]);
    world.nowMs += 1;
    expect(claimed(world.step())).toEqual([0, 1, 2, 3]);
  });

  it('does not take a shard of a member whose Lease it has not received yet', () => {
    const world = new World('a');
    for (let shard = 0; shard < SHARDS; shard++) world.own(shard, 'b');
    expect(claimed(world.step())).toEqual([]);
    world.nowMs += 100;
    world.renew('b');
    expect(claimed(world.step())).toEqual([]);
    world.nowMs += 2 * LEASE_MS;
    world.renew('a');
    world.renew('b');
    expect(claimed(world.step())).toEqual([]);
  });

  it('takes at once what is free and its own, and after a while what the member that should have it does not take', () => {
    const world = new World('a');
    world.renew('b');
    const own = shardsOf('a', ['a', 'b']);
    expect(own.length).toBeGreaterThan(0);
    expect(claimed(world.settle())).toEqual(own);
    world.nowMs += 3900;
    for (const id of ['a', 'b']) world.renew(id);
    expect(claimed(world.settle())).toEqual([]);
    world.nowMs += 100;
    expect(claimed(world.settle())).toEqual(shardsOf('b', ['a', 'b']));
  });

  it('leaves what nobody takes to one of the others first, and then to the next', () => {
    const worlds = ['a', 'c'].map((id) => {
      const world = new World(id);
      for (const other of ['a', 'b', 'c']) world.renew(other);
      world.settle();
      // What a and c have taken is not free for the other one.
      for (const other of ['a', 'c'])
        for (const shard of shardsOf(other, ['a', 'b', 'c'])) if (other !== id) world.own(shard, other);
      return world;
    });
    const claims = (): number[][] =>
      worlds.map((world) => {
        for (const id of ['a', 'b', 'c']) world.renew(id);
        return claimed(world.step());
      });
    expect(claims()).toEqual([[], []]);
    for (const world of worlds) world.nowMs += 4000;
    const missing = shardsOf('b', ['a', 'b', 'c']);
    expect(missing.length).toBeGreaterThan(0);
    expect(claims().flat().sort()).toEqual(missing);
    for (const world of worlds) world.nowMs += 4000;
    expect(new Set(claims().flat())).toEqual(new Set(missing));
  });

  it('creates the Lease of its shard again if that was deleted, with the next epoch', () => {
    const world = new World('a');
    world.settle();
    world.step();
    expect(world.member.isActive(2)).toBe(true);
    world.shards.delete(2);
    const { writes } = world.step();
    expect(writes).toEqual([
      { type: 'shard', why: 'restore', shard: 2, base: undefined, holder: 'a', epoch: 1 },
    ]);
  });

  it('does not take a shard whose Lease was deleted while its owner is a member', () => {
    const world = new World('a');
    world.renew('b');
    for (let shard = 0; shard < SHARDS; shard++) world.own(shard, 'b');
    world.step();
    world.shards.clear();
    expect(claimed(world.step())).toEqual([]);
    world.nowMs += 60_000;
    for (const id of ['a', 'b']) world.renew(id);
    expect(claimed(world.step())).toEqual([]);
  });

  it('keeps a shard that it may not hand over, and tries again later', () => {
    const world = new World('a');
    world.settle();
    world.step();
    const [shard = 0] = shardsOf('b', ['a', 'b']);
    world.renew('b', [shard]);
    const [write] = world.step().writes;
    expect(write).toMatchObject({ why: 'hand-over', shard });
    expect(world.member.isRecorded(shard)).toBe(false);
    world.member.finished(write as RingWrite, { type: 'failed' }, world.nowMs);
    world.nowMs += 500;
    expect(world.step().events).toEqual([{ type: 'acquired', shard }]);
    expect(world.member.isActive(shard)).toBe(true);
    world.nowMs += 30_000;
    for (const id of ['a', 'b']) world.renew(id, id === 'b' ? [shard] : []);
    expect(world.step().writes).toMatchObject([{ why: 'hand-over', shard }]);
  });

  it('gives everything up if it does not learn who is recorded as the owner', () => {
    const world = new World('a');
    world.settle();
    world.step();
    const [shard = 0] = shardsOf('b', ['a', 'b']);
    let result: 'unknown' | 'failed' = 'unknown';
    for (let atMs = 0; atMs < 12_000; atMs += 500) {
      world.nowMs += 500;
      world.renew('a');
      world.renew('b', [shard]);
      for (const write of world.step().writes) {
        world.member.finished(write, { type: result }, world.nowMs);
        result = 'failed';
      }
      expect(world.member.isRecorded(shard)).toBe(false);
    }
    expect(world.member.isLost).toBe(true);
  });

  it('goes on with a shard of which one reconcile does not end, and drains it again, for twice as long', () => {
    const world = new World('a');
    world.settle();
    world.step();
    const [shard = 0] = shardsOf('b', ['a', 'b']);
    world.busy.add(shard);
    const events: string[] = [];
    const phases: number[] = [];
    for (let atMs = 0; atMs < 190_000; atMs += 500) {
      world.nowMs += 500;
      world.renew('a');
      world.renew('b', [shard]);
      for (const event of world.settle().events.filter((one) => one.shard === shard)) {
        events.push(event.type);
        phases.push(Math.round(atMs / 10_000) * 10);
      }
    }
    expect(events).toEqual(['draining', 'acquired', 'draining', 'acquired', 'draining']);
    expect(phases).toEqual([0, 30, 60, 120, 180]);
    world.busy.delete(shard);
    world.nowMs += 500;
    world.renew('a');
    world.renew('b', [shard]);
    expect(world.settle().writes).toMatchObject([{ why: 'hand-over', holder: 'b' }]);
  });
});
