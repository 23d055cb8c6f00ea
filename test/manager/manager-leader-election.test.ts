import type { KubeflectError } from 'kubeflect';
import { type Manager, type ManagerOptions, runManager } from 'kubeflect/controller';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';
import { ScrapedMetrics } from '../support/metrics/scraped-metrics.js';
import { ask } from '../support/servers/http-client.js';

const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'default', name: 'copies' };

interface LeaseSpec {
  readonly holderIdentity?: string;
}

let world: EngineFixture;
let managers: Manager[];
let errors: KubeflectError[];

beforeEach(async () => {
  world = await EngineFixture.start();
  managers = [];
  errors = [];
});
afterEach(async () => {
  await Promise.all(managers.map((manager) => manager.stop()));
  await world.close();
});

function replica(
  identity: string,
  reconcile: (key: string, signal: AbortSignal) => Promise<void> | void = () => {},
  more: Partial<Omit<ManagerOptions, 'controllers' | 'engine'>> = {},
): Manager {
  const engine = world.engine();
  const manager = runManager({
    engine,
    controllers: [
      {
        informer: engine.informer(CONFIG_MAPS),
        name: 'copies',
        reconcile: (key, { signal }) => reconcile(key, signal),
      },
    ],
    leaderElection: {
      name: LEASE.name,
      namespace: LEASE.namespace,
      identity,
      renewDeadlineMs: 3_000,
      retryPeriodMs: 200,
    },
    health: { port: 0 },
    signals: [],
    onError: (error) => void errors.push(error),
    ...more,
  });
  managers.push(manager);
  return manager;
}

const holder = async (): Promise<string | undefined> =>
  ((await world.server.get(LEASE))?.['spec'] as LeaseSpec | undefined)?.holderIdentity;

const leads = (manager: Manager) => expect.poll(() => manager.leaderElector?.isLeader).toBe(true);

describe('runManager with leaderElection', () => {
  it('reconciles in the leader only, and in the warm standby as soon as the leader was stopped', async () => {
    await world.configMap('a');
    const reconciled: string[] = [];
    const first = replica('first', (key) => void reconciled.push(`first ${key}`));
    await first.synced;
    await leads(first);
    const second = replica('second', (key) => void reconciled.push(`second ${key}`));
    await second.synced;
    await expect.poll(() => reconciled).toEqual(['first default/a']);
    expect(await holder()).toBe('first');
    expect(second.leaderElector?.isLeader).toBe(false);
    await expect.poll(async () => (await ask(`${second.healthUrl}/readyz`)).status).toBe(200);
    expect(await first.stop()).toBe(0);
    await leads(second);
    await expect.poll(() => reconciled).toEqual(['first default/a', 'second default/a']);
    expect(await second.stop()).toBe(0);
    expect(await holder()).toBe('');
    expect(errors).toEqual([]);
  });

  it('gives the Lease back when the last reconcile has ended, not before', async () => {
    await world.configMap('a');
    let isReconciling = false;
    let heldAtTheEnd: string | undefined;
    const manager = replica(
      'first',
      async (_, signal) => {
        isReconciling = true;
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        heldAtTheEnd = await holder();
      },
      { gracefulShutdownTimeoutMs: 500 },
    );
    await expect.poll(() => isReconciling).toBe(true);
    expect(await manager.stop()).toBe(0);
    expect(heldAtTheEnd).toBe('first');
    expect(await holder()).toBe('');
  });

  it('keeps the Lease, and ends with 1, if a reconcile never returns', async () => {
    await world.configMap('a');
    let isReconciling = false;
    const manager = replica(
      'first',
      () => {
        isReconciling = true;
        return new Promise(() => {});
      },
      { gracefulShutdownTimeoutMs: 200 },
    );
    await expect.poll(() => isReconciling).toBe(true);
    expect(await manager.stop()).toBe(1);
    expect(manager.failure).toMatchObject({ code: 'KUBEFLECT_STOP_TIMEOUT' });
    expect(await holder()).toBe('first');
  });

  it('aborts reconciles and ends with 1 when leadership is lost', async () => {
    await world.configMap('a');
    let aborted: unknown;
    const manager = replica('first', async (_, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      aborted = signal.reason;
    });
    await leads(manager);
    await world.server.patch(LEASE, { spec: { holderIdentity: 'another' } });
    expect(await manager.ended).toBe(1);
    expect(manager.failure).toMatchObject({ code: 'KUBEFLECT_LEADERSHIP_LOST' });
    expect(aborted).toMatchObject({ code: 'KUBEFLECT_LEADERSHIP_LOST' });
    expect(errors.filter(({ code }) => code === 'KUBEFLECT_LEADERSHIP_LOST')).toHaveLength(1);
    expect(await holder()).toBe('another');
  });

  it('reconciles no more of its queue, and ends with 1, when leadership is lost while it stops', async () => {
    for (const name of ['a', 'b']) await world.configMap(name);
    const reconciled: string[] = [];
    const manager = replica(
      'first',
      async (key, signal) => {
        reconciled.push(key);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
      { gracefulShutdownTimeoutMs: 3_600_000 },
    );
    await expect.poll(() => reconciled.length).toBe(1);
    const ended = manager.stop();
    await world.server.patch(LEASE, { spec: { holderIdentity: 'another' } });
    expect(await ended).toBe(1);
    expect(manager.failure).toMatchObject({ code: 'KUBEFLECT_LEADERSHIP_LOST' });
    expect(reconciled).toHaveLength(1);
    expect(await holder()).toBe('another');
  });

  it('does not compete before its caches have synced', async () => {
    await world.server.faults.add({ match: { path: '/api/v1/configmaps' }, fault: { type: 'stall' } });
    const manager = replica('first');
    await expect.poll(async () => (await world.server.requests()).length).toBeGreaterThan(0);
    expect(manager.state).toBe('starting');
    expect((await world.server.requests()).filter(({ path }) => path.includes('leases'))).toEqual([]);
    expect(await manager.stop()).toBe(0);
  });

  it('stops a standby at once, although its queue is full', async () => {
    await world.configMap('a');
    const first = replica('first');
    await leads(first);
    const second = replica('second');
    await second.synced;
    await expect.poll(() => second.controllers[0]?.queue.length).toBe(1);
    expect(await second.stop()).toBe(0);
    expect(errors).toEqual([]);
    expect(await holder()).toBe('first');
  });

  it('reconciles in every replica if the controller needs no leader', async () => {
    await world.configMap('a');
    const first = replica('first');
    await leads(first);
    const reconciled: string[] = [];
    const engine = world.engine();
    managers.push(
      runManager({
        engine,
        controllers: [
          {
            informer: engine.informer(CONFIG_MAPS),
            needLeaderElection: false,
            reconcile: (key) => void reconciled.push(key),
          },
        ],
        leaderElection: { name: LEASE.name, namespace: LEASE.namespace, identity: 'second' },
        signals: [],
      }),
    );
    await expect.poll(() => reconciled).toEqual(['default/a']);
    expect(await holder()).toBe('first');
  });

  it('counts the leader and its requests under the names of client-go', async () => {
    const manager = replica('first');
    await leads(manager);
    const scrape = async () => new ScrapedMetrics((await ask(`${manager.healthUrl}/metrics`)).text);
    expect((await scrape()).value('leader_election_master_status', { name: LEASE.name })).toBe(1);
    expect((await scrape()).typeOf('leader_election_master_status')).toBe('gauge');
  });

  it('throws for options of the Lease that cannot work', () => {
    expect(() =>
      replica('first', () => {}, { leaderElection: { name: 'Copies', namespace: 'default' } }),
    ).toThrow(expect.objectContaining({ code: 'KUBEFLECT_OPTION_INVALID' }));
  });
});
