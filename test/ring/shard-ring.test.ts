import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Controller, type Engine, runController, type SharedInformer } from 'kubeflect';
import { ShardRing } from 'kubeflect/sharding';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';
import { runCli } from '../support/processes/cli.js';

const OBJECTS = 60;
const SHARDS = 16;
/** Short ones: tests wait for them. */
const TIMES = { leaseDurationMs: 3000, renewDeadlineMs: 2000, renewPeriodMs: 300 };

/** What a reconcile did, in the order of one process's clock. */
interface Turn {
  readonly replica: Replica;
  readonly key: string;
  readonly beganMs: number;
  endedMs: number;
}

class Replica {
  readonly engine: Engine;
  readonly ring: ShardRing;
  readonly informer: SharedInformer;
  readonly controller: Controller;

  constructor(world: EngineFixture, turns: Turn[], options: { readonly reconcileMs?: number } = {}) {
    this.engine = world.engine();
    this.ring = new ShardRing({
      engine: this.engine,
      name: 'copier',
      namespace: 'default',
      shards: SHARDS,
      ...TIMES,
      onError: (error) => void world.errors.push(error),
    });
    this.informer = this.engine.informer({ ...CONFIG_MAPS, namespace: 'default', ring: this.ring });
    this.controller = runController({
      informer: this.informer,
      ring: this.ring,
      concurrency: 4,
      reconcile: async (key) => {
        const turn: Turn = {
          replica: this,
          key,
          beganMs: performance.now(),
          endedMs: Number.POSITIVE_INFINITY,
        };
        turns.push(turn);
        // The time that a reconcile takes.
        await sleep(options.reconcileMs ?? 1);
        turn.endedMs = performance.now();
      },
    });
  }

  get keys(): string[] {
    return this.informer.lister.entries().map(({ key }) => key);
  }

  async stop(): Promise<void> {
    await this.ring.stop();
    await this.controller.stop();
    await this.engine.close();
  }
}

describe('a ring', { timeout: 120_000 }, () => {
  let world: EngineFixture;
  let turns: Turn[];
  const names = Array.from({ length: OBJECTS }, (_, i) => `object-${i}`);
  const keys = names.map((name) => `default/${name}`);

  beforeEach(async () => {
    world = await EngineFixture.start({ shardedListAndWatch: true });
    turns = [];
    for (const name of names) await world.configMap(name);
  });
  afterEach(() => world.close());

  /** Waits until every shard is owned once, and every object is cached by its owner alone. */
  async function settled(replicas: readonly Replica[]): Promise<void> {
    await expect
      .poll(() => replicas.flatMap(({ ring }) => ring.owned).sort((a, b) => a - b), { timeout: 60_000 })
      .toEqual(Array.from({ length: SHARDS }, (_, shard) => shard));
    await expect
      .poll(() => replicas.flatMap((replica) => replica.keys).sort(), { timeout: 60_000 })
      .toEqual([...keys].sort());
    for (const { ring, informer } of replicas) {
      for (const { uid } of informer.lister.entries()) expect(ring.isOwned(uid)).toBe(true);
    }
  }

  function overlaps(): string[] {
    return turns.flatMap((a, i) =>
      turns
        .slice(i + 1)
        .filter((b) => b.key === a.key && b.replica !== a.replica)
        .filter((b) => a.beganMs < b.endedMs && b.beganMs < a.endedMs)
        .map(() => a.key),
    );
  }

  it('gives one member everything, and each that joins its share, and reconciles every object after each change', async () => {
    const first = new Replica(world, turns);
    await settled([first]);
    await expect.poll(() => new Set(turns.map(({ key }) => key)).size).toBe(OBJECTS);
    const second = new Replica(world, turns);
    const third = new Replica(world, turns);
    await expect
      .poll(() => third.ring.owned.length + second.ring.owned.length, { timeout: 60_000 })
      .toBeGreaterThan(8);
    const replicas = [first, second, third];
    await settled(replicas);
    for (const { ring } of replicas) expect(ring.owned.length).toBeLessThanOrEqual(Math.ceil(SHARDS / 3));
    for (const replica of [second, third]) {
      await expect
        .poll(() =>
          replica.keys.filter((key) => !turns.some((turn) => turn.replica === replica && turn.key === key)),
        )
        .toEqual([]);
    }
    const before = turns.length;
    for (const name of names) await world.patchConfigMap(name, { changed: 'yes' });
    await expect.poll(() => new Set(turns.slice(before).map(({ key }) => key)).size).toBe(OBJECTS);
    expect(overlaps()).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), 'kubeflect-ring-'));
    writeFileSync(join(folder, 'config'), world.server.kubeConfig);
    const status = await runCli(['ring', 'status', 'copier', '-n', 'default'], {
      KUBECONFIG: join(folder, 'config'),
    });
    rmSync(folder, { recursive: true });
    expect(status.stdout).toContain(`${SHARDS} shards, 3 members`);
    expect(status.stdout).toContain('every shard has an owner');
    expect(status.code).toBe(0);
    const text = first.engine.metrics.text();
    expect(text).toMatch(/kubeflect_ring_members\{name="copier"\} 3/);
    expect(text).toMatch(/kubeflect_ring_free_shards\{name="copier"\} 0/);
    await Promise.all(replicas.map((replica) => replica.stop()));
    expect(world.faults).toEqual([]);
  });

  it('hands the shards of a member that leaves over, after its reconciles have ended', async () => {
    const replicas = [new Replica(world, turns, { reconcileMs: 100 }), new Replica(world, turns)];
    const [leaving, staying] = replicas as [Replica, Replica];
    await expect
      .poll(() => replicas.every(({ ring }) => ring.owned.length === SHARDS / 2), { timeout: 60_000 })
      .toBe(true);
    await settled(replicas);
    for (const name of names) await world.patchConfigMap(name, { changed: 'yes' });
    await leaving.stop();
    await settled([staying]);
    expect(overlaps()).toEqual([]);
    expect(world.faults).toEqual([]);
  });

  it('gives the shards of a member that died to the others, after its Lease was fenced', async () => {
    const replicas = [new Replica(world, turns), new Replica(world, turns)];
    const [dying, staying] = replicas as [Replica, Replica];
    await expect
      .poll(() => replicas.every(({ ring }) => ring.owned.length === SHARDS / 2), { timeout: 60_000 })
      .toBe(true);
    const { id = '' } = dying.ring;
    // Without a word to the server: the Lease is not renewed any more.
    await dying.engine.close();
    expect(dying.ring.owned).toEqual([]);
    await settled([staying]);
    const lease = await world.server.get({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      namespace: 'default',
      name: id,
    });
    expect((lease?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity ?? '').toBe('');
  });

  it('owns nothing while the server cannot be reached, and everything again afterwards', async () => {
    const replica = new Replica(world, turns);
    await settled([replica]);
    const lost: number[] = [];
    replica.ring.on('lost', (shard) => void lost.push(shard));
    const id = await world.server.faults.add({
      match: { path: '/apis/coordination.k8s.io' },
      fault: { type: 'refuse', forMs: 1 },
    });
    await expect.poll(() => replica.ring.owned, { timeout: 30_000 }).toEqual([]);
    expect(lost).toHaveLength(SHARDS);
    expect(replica.ring.isOwned('any')).toBe(false);
    await world.server.faults.remove(id);
    await settled([replica]);
  });

  it('owns nothing next to a member that has another number of shards, and says so', async () => {
    const replica = new Replica(world, turns);
    await settled([replica]);
    const other = new ShardRing({
      engine: world.engine(),
      name: 'copier',
      namespace: 'default',
      shards: 32,
      ...TIMES,
      onError: (error) => void world.errors.push(error),
    });
    other.start();
    await expect
      .poll(() => world.faults.map(({ message }) => message), { timeout: 30_000 })
      .toContainEqual(expect.stringContaining('has 16 shards for another replica, and 32 for this one'));
    expect(other.owned).toEqual([]);
    await other.stop();
    await replica.stop();
  });
});

describe('the options of a ring', () => {
  it('are checked', async () => {
    const world = await EngineFixture.start();
    const engine = world.engine();
    const valid = { engine, name: 'r', namespace: 'default' };
    for (const [options, message] of [
      [{ shards: 48 }, 'shards must be a power of two'],
      [{ name: 'Not valid' }, 'name must be'],
      [{ leaseDurationMs: 1500 }, 'whole seconds'],
      [{ renewDeadlineMs: 15_000 }, 'leaseDurationMs must be more than renewDeadlineMs'],
      [{ engine: {} }, 'engine must be an Engine'],
    ] as const) {
      expect(() => new ShardRing({ ...valid, ...options } as never)).toThrow(message);
    }
    const ring = new ShardRing(valid);
    for (const options of [
      { list: 'full' as const },
      { namespace: ['a', 'b'] },
      { shard: { index: 0, of: 2 } },
    ]) {
      expect(() => engine.informer({ ...CONFIG_MAPS, ring, ...options })).toThrow('with a ring');
    }
    const informer = engine.informer({ ...CONFIG_MAPS, ring });
    const withoutEntries = Object.create(informer, {
      lister: { value: { get: () => undefined } },
    }) as typeof informer;
    expect(() => runController({ informer: withoutEntries, ring, reconcile: () => {} })).toThrow(
      'its lister has no entry() and entries()',
    );
    expect(engine.informer({ ...CONFIG_MAPS, ring })).toBe(engine.informer({ ...CONFIG_MAPS, ring }));
    expect(engine.informer({ ...CONFIG_MAPS, ring: new ShardRing(valid) })).not.toBe(
      engine.informer({ ...CONFIG_MAPS, ring }),
    );
    await world.close();
  });
});
