import { type Engine, type ReconcileContext, runController } from 'kubeflect';
import { describe, expect, it } from 'vitest';
import { ElectorFixture, leaseRef } from '../support/engine/elector-fixture.js';
import { CONFIG_MAPS } from '../support/engine/engine-fixture.js';

const electors = ElectorFixture.forFile();
let number = 0;
/** Each test has objects and a Lease of its own. */
let label: string;

async function create(...names: string[]): Promise<void> {
  for (const name of names) {
    const metadata = { name: `${label}-${name}`, namespace: 'default', labels: { test: label } };
    await electors.world.server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  }
}

const replica = (
  engine: Engine,
  identity: string,
  reconcile: (key: string, context: ReconcileContext) => Promise<void> | void,
) => {
  const configMaps = engine.informer({ ...CONFIG_MAPS, labelSelector: `test=${label}` });
  const leaderElection = electors.elector(label, { engine, identity });
  const controller = runController({ informer: configMaps, leaderElection, reconcile });
  return { configMaps, leaderElection, controller };
};

describe('a controller with leader election', () => {
  it('reconciles only while it is the leader; a standby is synced, and takes over what is queued', async () => {
    label = `standby-${++number}`;
    await create('a', 'b');
    const calls: string[] = [];
    const first = replica(electors.world.engine(), 'first', (key) => void calls.push(`first ${key}`));
    await expect.poll(() => calls.length).toBe(2);
    const second = replica(electors.world.engine(), 'second', (key) => void calls.push(`second ${key}`));
    await second.controller.synced;
    await create('c');
    await expect.poll(() => calls.length).toBe(3);
    await expect.poll(() => second.controller.queue.length).toBe(3);
    expect(calls.filter((call) => call.startsWith('second'))).toEqual([]);
    await first.controller.stop({ drain: true });
    await first.leaderElection.stop();
    await expect.poll(() => calls.filter((call) => call.startsWith('second')).length).toBe(3);
    await second.controller.stop();
  });

  it('aborts reconciles when leadership is lost, and reconciles their keys when it is regained', async () => {
    label = `lost-${++number}`;
    await create('a');
    const contexts: ReconcileContext[] = [];
    const { controller, leaderElection } = replica(electors.world.engine(), 'a', async (_, context) => {
      contexts.push(context);
      if (contexts.length > 1) return;
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
    });
    await expect.poll(() => contexts.length).toBe(1);
    await electors.world.server.patch(leaseRef(label), {
      spec: { holderIdentity: 'thief', leaseDurationSeconds: 2 },
    });
    await expect.poll(() => contexts[0]?.signal.aborted).toBe(true);
    expect(contexts[0]?.signal.reason).toMatchObject({ code: 'KUBEFLECT_LEADERSHIP_LOST' });
    expect([leaderElection.isLeader, contexts.length]).toEqual([false, 1]);
    await expect.poll(() => contexts.length).toBe(2);
    expect(leaderElection.isLeader).toBe(true);
    expect(contexts[1]?.signal.aborted).toBe(false);
    await controller.stop();
    expect(electors.world.errors.splice(0).map(({ code }) => code)).toEqual(['KUBEFLECT_LEADERSHIP_LOST']);
  });

  it('that is a standby stops at once, also with drain', async () => {
    label = `drain-${++number}`;
    await create('a');
    const calls: string[] = [];
    const leader = electors.elector(label, { identity: 'leader' });
    leader.start();
    await leader.nextTerm();
    const { controller } = replica(electors.world.engine(), 'standby', (key) => void calls.push(key));
    await controller.synced;
    await expect.poll(() => controller.queue.length).toBe(1);
    await controller.stop({ drain: true, timeoutMs: 60_000 });
    expect(calls).toEqual([]);
  });

  it('is not given back its Lease before its last reconcile has ended', async () => {
    label = `release-${++number}`;
    await create('a');
    let finish = (): void => {};
    const { controller, leaderElection } = replica(
      electors.world.engine(),
      'a',
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    await expect.poll(() => controller.queue.processing).toBe(1);
    const stopped = Promise.all([controller.stop(), leaderElection.stop()]);
    await expect.poll(async () => (await electors.lease(label))?.spec.leaseTransitions).toBe(0);
    expect((await electors.lease(label))?.spec.holderIdentity).toBe('a');
    finish();
    await stopped;
    expect((await electors.lease(label))?.spec.holderIdentity).toBe('');
  });
});
