import type { Worker } from 'node:worker_threads';
import { ApiStatusError, Engine } from 'kubeflect';
import { startApiServer } from 'kubeflect/testing';
import { describe, expect, it } from 'vitest';
import { ElectorFixture, SHORT_TIMES } from '../support/engine/elector-fixture.js';
import { ScrapedMetrics } from '../support/metrics/scraped-metrics.js';

const NAMESPACE = 'default';

const electors = ElectorFixture.forFile();
let number = 0;

const newName = (): string => `service-${++number}`;

function newLease(name: string) {
  const spec = { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 };
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: NAMESPACE, name },
    spec,
  };
}

describe('engine.leases', () => {
  it('creates, reads, updates and deletes a Lease, each update conditional on its version', async () => {
    const { leases } = electors.world.engine();
    const name = newName();
    const created = await leases.create(newLease(name));
    expect(await leases.get({ namespace: NAMESPACE, name })).toEqual(created);
    const updated = await leases.update({ ...created, spec: { ...created.spec, leaseTransitions: 1 } });
    expect(updated.spec?.leaseTransitions).toBe(1);
    const conflict = leases.update({ ...created, spec: { ...created.spec, leaseTransitions: 2 } });
    await expect(conflict).rejects.toMatchObject({ status: { code: 409, reason: 'Conflict' } });
    const { uid, resourceVersion } = created.metadata;
    const stale = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
    await expect(leases.delete({ namespace: NAMESPACE, name }, stale)).rejects.toMatchObject({
      status: { code: 409 },
    });
    await leases.delete({ namespace: NAMESPACE, name }, { ...(uid && { uid }) });
    await expect(leases.get({ namespace: NAMESPACE, name })).rejects.toBeInstanceOf(ApiStatusError);
  });

  it('counts its requests as client-go does: by status code, method and host', async () => {
    const engine = electors.world.engine();
    const { host } = new URL(electors.world.server.url);
    const counted = (method: string, code: string): number =>
      new ScrapedMetrics(engine.metrics.text()).value('rest_client_requests_total', { code, method, host });
    const name = newName();
    const elector = electors.elector(name, { engine });
    elector.start();
    await elector.nextTerm();
    expect([counted('GET', '404'), counted('POST', '201')]).toEqual([1, 1]);
    const path = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/${name}`;
    const match = { path, verb: 'update' } as const;
    await electors.world.server.faults.add({ match, fault: { type: 'status', code: 503 }, count: 1 });
    await expect.poll(() => counted('PUT', '503')).toBe(1);
    await electors.world.server.faults.add({ match, fault: { type: 'refuse' }, count: 1 });
    await expect.poll(() => counted('PUT', '<error>')).toBe(1);
    await expect.poll(() => counted('PUT', '200')).toBeGreaterThan(0);
    const reads = counted('GET', '200');
    await engine.leases.get({ namespace: NAMESPACE, name });
    expect(counted('GET', '200')).toBeGreaterThan(reads);
    electors.world.errors.length = 0;
  });

  it('ends the terms when its thread is lost, and competes again on another thread', async () => {
    const workers: Worker[] = [];
    const onWorker = (worker: Worker): void => void workers.push(worker);
    process.on('worker', onWorker);
    const elector = electors.elector(newName(), { identity: 'a', ...SHORT_TIMES });
    elector.start();
    const term = await elector.nextTerm();
    process.off('worker', onWorker);
    expect(workers).toHaveLength(1);
    await workers[0]?.terminate();
    await expect.poll(() => term?.isCurrent).toBe(false);
    expect(term?.signal.reason).toMatchObject({
      message: expect.stringContaining('thread that renews it was lost'),
    });
    expect(electors.world.errors.splice(0).map(({ code }) => code)).toEqual([
      'KUBEFLECT_LEADERSHIP_LOST',
      'KUBEFLECT_LEASE_FAILED',
    ]);
    expect(await elector.nextTerm()).toMatchObject({ number: 2, isCurrent: true });
  });

  it('replaces a thread that hangs', async () => {
    const workerFile = new URL('../support/workers/hanging-lease-worker.cjs', import.meta.url);
    const engine = electors.world.engine({ advanced: { workerFile, heartbeatTimeoutMs: 400 } });
    const elector = electors.elector(newName(), { engine, ...SHORT_TIMES });
    elector.start();
    const term = await elector.nextTerm();
    await expect.poll(() => term?.isCurrent).toBe(false);
    expect(await elector.nextTerm()).toMatchObject({ number: 2 });
    expect(electors.world.errors.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('its event loop was blocked'),
    );
    electors.world.errors.length = 0;
  });

  it('starts one thread for all Leases, and none before the first', async () => {
    const workers: Worker[] = [];
    const onWorker = (worker: Worker): void => void workers.push(worker);
    process.on('worker', onWorker);
    const engine = electors.world.engine();
    const all = [newName(), newName(), newName()].map((name) => electors.elector(name, { engine }));
    expect(workers).toHaveLength(0);
    for (const elector of all) elector.start();
    await Promise.all(all.map((elector) => elector.nextTerm()));
    process.off('worker', onWorker);
    expect(workers).toHaveLength(1);
  });

  it('renews on the main thread with workers: 0', async () => {
    const elector = electors.elector(newName(), { engine: electors.world.engine({ workers: 0 }) });
    elector.start();
    expect(await elector.nextTerm()).toMatchObject({ number: 1, isCurrent: true });
    await elector.stop();
  });

  it('uses new credentials after a 401', async () => {
    await using server = await startApiServer({ token: 'right' });
    const asked: boolean[] = [];
    const headers = ({ isUnauthorized }: { isUnauthorized: boolean }) => {
      asked.push(isUnauthorized);
      return { authorization: `Bearer ${asked.includes(true) ? 'right' : 'wrong'}` };
    };
    await using engine = new Engine({
      connection: { server: server.url, headers },
      workers: 1,
      onError: () => {},
    });
    const elector = electors.elector(newName(), { engine });
    elector.start();
    expect(await elector.nextTerm()).toMatchObject({ number: 1 });
    expect(asked).toContain(true);
    await elector.stop();
    electors.world.errors.length = 0;
  });

  it('of a closed engine ends all terms, and takes no more', async () => {
    const engine = electors.world.engine();
    const elector = electors.elector(newName(), { engine, identity: 'a' });
    elector.start();
    const term = await elector.nextTerm();
    await engine.close();
    expect(term?.signal.aborted).toBe(true);
    expect(await elector.nextTerm()).toBeUndefined();
    const late = electors.elector(newName(), { engine });
    expect(() => late.start()).toThrow(expect.objectContaining({ code: 'KUBEFLECT_ENGINE_CLOSED' }));
  });
});
