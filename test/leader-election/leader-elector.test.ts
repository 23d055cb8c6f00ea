import { ApiStatusError, type Engine } from 'kubeflect';
import type { LeaderElectorOptions, LeadershipTerm } from 'kubeflect/controller';
import { describe, expect, it } from 'vitest';
import { ElectorFixture, leaseRef, SHORT_TIMES } from '../support/engine/elector-fixture.js';
import { ScrapedMetrics } from '../support/metrics/scraped-metrics.js';

const electors = ElectorFixture.forFile();
let number = 0;
/** Each test has a Lease of its own. */
let lease: string;

function newLease(): string {
  lease = `lease-${++number}`;
  return lease;
}

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function writesOf({ metrics }: Engine): number {
  return Number(/kubeflect_lease_writes_total\{[^}]*\} (\d+)/.exec(metrics.text())?.[1]);
}

function failuresOf({ metrics }: Engine): number {
  return new ScrapedMetrics(metrics.text()).value('kubeflect_lease_failures_total', { name: lease });
}

describe('a LeaderElector', () => {
  it("creates the Lease with client-go's record, and renews it", async () => {
    const a = electors.elector(newLease(), { identity: 'a' });
    expect(a.isLeader).toBe(false);
    a.start();
    const term = await a.nextTerm();
    expect(term?.isCurrent).toBe(true);
    expect(a).toMatchObject({ isLeader: true, identity: 'a', name: `default/${lease}` });
    const first = await electors.lease(lease);
    expect(first?.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(first?.spec.acquireTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    await expect
      .poll(async () => (await electors.lease(lease))?.spec.renewTime)
      .not.toBe(first?.spec.renewTime);
    const later = await electors.lease(lease);
    expect(later?.spec).toMatchObject({ acquireTime: first?.spec.acquireTime, leaseTransitions: 0 });
    await expect.poll(() => a.leader).toBe('a');
  });

  it('has an identity of the host name and a random id by default', () => {
    const [a, b] = [electors.elector(newLease()), electors.elector(lease)];
    expect(a.identity).toMatch(/^.+_[0-9a-f-]{36}$/);
    expect(a.identity).not.toBe(b.identity);
  });

  it('leads alone, and hands over when it is stopped', async () => {
    const name = newLease();
    const first = electors.elector(name, { identity: 'first' });
    const second = electors.elector(name, { identity: 'second' });
    first.start();
    await first.nextTerm();
    second.start();
    await expect.poll(() => second.leader).toBe('first');
    expect([first.isLeader, second.isLeader]).toEqual([true, false]);
    const term = first.term;
    await first.stop();
    expect(term?.signal.aborted).toBe(true);
    expect(first.isLeader).toBe(false);
    const next = await second.nextTerm();
    expect(next?.transitions).toBe(1);
    expect((await electors.lease(name))?.spec).toMatchObject({
      holderIdentity: 'second',
      leaseTransitions: 1,
    });
    await second.stop();
    expect((await electors.lease(name))?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  });

  it('gives the Lease back only when the work of the term has ended', async () => {
    const a = electors.elector(newLease(), { identity: 'a' });
    a.start();
    const term = await a.nextTerm();
    const end = term?.begin();
    const stopped = a.stop();
    expect(a.isLeader).toBe(false);
    const held = await electors.lease(lease);
    // It is still renewed.
    await expect
      .poll(async () => (await electors.lease(lease))?.spec.renewTime)
      .not.toBe(held?.spec.renewTime);
    expect((await electors.lease(lease))?.spec.holderIdentity).toBe('a');
    end?.();
    await stopped;
    expect((await electors.lease(lease))?.spec.holderIdentity).toBe('');
  });

  it('keeps the Lease if work has not ended in time, and says so', async () => {
    const a = electors.elector(newLease(), { identity: 'a' });
    a.start();
    (await a.nextTerm())?.begin();
    await a.stop({ timeoutMs: 10 });
    expect(electors.world.errors.splice(0).map(({ code }) => code)).toEqual(['KUBEFLECT_STOP_TIMEOUT']);
    expect((await electors.lease(lease))?.spec.holderIdentity).toBe('a');
  });

  it('loses its term when another holder is written, and competes on', async () => {
    const ends: LeadershipTerm[] = [];
    const a = electors.elector(newLease(), {
      identity: 'a',
      onStoppedLeading: (term) => void ends.push(term),
    });
    a.start();
    const term = await a.nextTerm();
    await electors.world.server.patch(leaseRef(lease), {
      spec: { holderIdentity: 'thief', leaseDurationSeconds: 1 },
    });
    await expect.poll(() => ends).toEqual([term]);
    expect(term?.signal.reason).toMatchObject({ code: 'KUBEFLECT_LEADERSHIP_LOST' });
    expect(a.isLeader).toBe(false);
    const next = await a.nextTerm();
    expect(next).toMatchObject({ number: 2, transitions: 1 });
    expect(electors.world.errors.splice(0).map(({ code }) => code)).toEqual(['KUBEFLECT_LEADERSHIP_LOST']);
  });

  it('lists its terms until it is stopped', async () => {
    const a = electors.elector(newLease(), { identity: 'a' });
    a.start();
    const numbers: number[] = [];
    for await (const term of a.terms()) {
      numbers.push(term.number);
      if (numbers.length === 1) await electors.world.server.delete(leaseRef(lease));
      else void a.stop();
    }
    expect(numbers).toEqual([1, 2]);
    expect(electors.world.errors.splice(0).map(({ code }) => code)).toEqual(['KUBEFLECT_LEADERSHIP_LOST']);
  });

  it('is not the leader any more in the first line after the main thread was blocked for too long', async () => {
    const a = electors.elector(newLease(), { identity: 'a', ...SHORT_TIMES });
    a.start();
    const term = await a.nextTerm();
    block(SHORT_TIMES.leaseDurationMs);
    expect(term?.signal.aborted).toBe(true);
    expect(() => term?.signal.throwIfAborted()).toThrow(
      /default\/lease-\d+ is not held any more: the event loop of the main thread was blocked/,
    );
    expect([a.isLeader, term?.isCurrent, a.term]).toEqual([false, false, undefined]);
    expect(await a.nextTerm()).toMatchObject({ number: 2 });
    expect(electors.world.errors.splice(0).map(({ code }) => code)).toEqual(['KUBEFLECT_LEADERSHIP_LOST']);
  });

  it('is renewed while the main thread is blocked for less than the renew deadline', async () => {
    const engine = electors.world.engine();
    const a = electors.elector(newLease(), { identity: 'a', engine });
    a.start();
    const term = await a.nextTerm();
    const before = (await electors.lease(lease))?.spec.renewTime;
    const writes = writesOf(engine);
    block(2000);
    expect(term?.isCurrent).toBe(true);
    expect(writesOf(engine)).toBeGreaterThan(writes + 2);
    expect((await electors.lease(lease))?.spec.renewTime).not.toBe(before);
  });

  it('continues its term after renewals whose responses were lost', async () => {
    const a = electors.elector(newLease(), { identity: 'a' });
    a.start();
    const term = await a.nextTerm();
    const path = `/apis/coordination.k8s.io/v1/namespaces/default/leases/${lease}`;
    const fault = await electors.world.server.faults.add({
      match: { path, verb: 'update' },
      fault: { type: 'reset', afterBytes: 0 },
      count: 3,
    });
    await expect
      .poll(async () => (await electors.world.server.faults.hits()).find(({ id }) => id === fault)?.hits)
      .toBe(3);
    const version = (await electors.lease(lease))?.metadata.resourceVersion;
    await expect.poll(async () => (await electors.lease(lease))?.metadata.resourceVersion).not.toBe(version);
    expect(term?.isCurrent).toBe(true);
    electors.world.errors.length = 0;
  });

  it('steps down when the server does not respond before the renew deadline, and its requests do not count', async () => {
    const a = electors.elector(newLease(), { identity: 'a', ...SHORT_TIMES });
    a.start();
    const term = await a.nextTerm();
    const path = `/apis/coordination.k8s.io/v1/namespaces/default/leases/${lease}`;
    const fault = await electors.world.server.faults.add({
      match: { path },
      fault: { type: 'stall', afterBytes: 0 },
    });
    await expect.poll(() => term?.isCurrent).toBe(false);
    expect(term?.signal.aborted).toBe(true);
    await electors.world.server.faults.remove(fault);
    expect(await a.nextTerm()).toMatchObject({ number: 2, transitions: 0 });
    expect(electors.world.errors.splice(0).map(({ code }) => code)).toContain('KUBEFLECT_LEADERSHIP_LOST');
  });

  it('waits for the lease of another process with the same identity', async () => {
    const [a, twin] = [
      electors.elector(newLease(), { identity: 'twin' }),
      electors.elector(lease, { identity: 'twin' }),
    ];
    a.start();
    await a.nextTerm();
    twin.start();
    await expect.poll(() => twin.leader).toBe('twin');
    expect([a.isLeader, twin.isLeader]).toEqual([true, false]);
    await a.stop();
    expect(await twin.nextTerm()).toMatchObject({ number: 1 });
  });

  it("reports whether it is the leader under client-go's metric name", async () => {
    const engine = electors.world.engine();
    const a = electors.elector(newLease(), { identity: 'a', engine });
    expect(engine.metrics.text()).toContain(`leader_election_master_status{name="${lease}"} 0`);
    a.start();
    await a.nextTerm();
    expect(engine.metrics.text()).toContain(`leader_election_master_status{name="${lease}"} 1`);
  });

  it('names the permission that is missing, once', async () => {
    const name = newLease();
    await electors.world.server.faults.add({
      match: { path: `/apis/coordination.k8s.io/v1/namespaces/default/leases/${name}` },
      fault: { type: 'status', code: 403, reason: 'Forbidden' },
    });
    const a = electors.elector(name, { identity: 'a' });
    a.start();
    await expect.poll(() => electors.world.errors.length).toBe(1);
    const [error] = electors.world.errors.splice(0);
    expect(error).toMatchObject({ code: 'KUBEFLECT_LEASE_FORBIDDEN' });
    expect(error?.message).toMatch(/grant get, create and update/);
    expect(error?.cause).toBeInstanceOf(ApiStatusError);
  });

  it('names a permission that only writes lack once, although reads of the Lease succeed in between', async () => {
    const name = newLease();
    const engine = electors.world.engine();
    await electors.world.server.create({
      ...leaseRef(name),
      metadata: { name, namespace: 'default' },
      spec: {},
    });
    await electors.world.server.faults.add({
      match: { path: `/apis/coordination.k8s.io/v1/namespaces/default/leases/${name}`, verb: 'update' },
      fault: { type: 'status', code: 403, reason: 'Forbidden' },
    });
    electors.elector(name, { engine, identity: 'a' }).start();
    await expect.poll(() => failuresOf(engine)).toBeGreaterThan(3);
    expect(electors.world.errors.splice(0).map(({ code }) => code)).toEqual(['KUBEFLECT_LEASE_FORBIDDEN']);
  });

  it.each([
    [
      { leaseDurationMs: 10_000, renewDeadlineMs: 10_000 },
      /leaseDurationMs must be greater than renewDeadlineMs/,
    ],
    [{ leaseDurationMs: 15_500 }, /leaseDurationMs must be whole seconds/],
    [{ leaseDurationMs: 15_000, renewDeadlineMs: 2400, retryPeriodMs: 2000 }, /1.2 times retryPeriodMs/],
    [{ identity: '' }, /identity must be/],
    [{ name: 'Not a name' }, /name must be the name of a Lease/],
    [{ retries: 3 }, /unknown option retries/],
  ])('refuses options that cannot work: %j', (options, message) => {
    expect(() => electors.elector('lease', options as Partial<LeaderElectorOptions>)).toThrow(message);
  });
});
