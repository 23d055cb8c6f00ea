/** Restarts with the cache of the engine before, on a real API server that has gone on meanwhile. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SnapshotError } from 'kubeflect';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { EtcdClient } from '../controlplane/etcd-client.js';
import { Churn } from '../suites/informers/churn.js';
import { openFailingTarget } from '../suites/informers/control-plane-target.js';
import { InformerFixture, type ObservedInformer } from '../suites/informers/informer-fixture.js';
import type { FailingTarget } from '../suites/informers/informer-target.js';

const COUNT = Number(process.env['KUBEFLECT_WARM_PODS'] ?? 500);
const PODS = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
const PATH = '/api/v1/pods';
const CHANGES = Math.ceil(COUNT / 10);

let controlPlane: ControlPlane;
let fixture: InformerFixture<FailingTarget>;
let directory: string;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  fixture = new InformerFixture(await openFailingTarget(controlPlane));
  await fixture.target.fillPods(COUNT);
});
afterAll(async () => {
  await fixture.close();
  await controlPlane.stop();
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeflect-warm-'));
});
afterEach(async () => {
  await fixture.leave();
  await rm(directory, { recursive: true, force: true });
});

/** Changes, deletes and creates pods; returns the version of the last change. */
async function churn(): Promise<string> {
  const running = await Churn.start(fixture.target.api, PATH, { count: CHANGES });
  await running.made(CHANGES);
  return running.end();
}

/** An engine that sees events, and leaves its cache; returns the version of the last. */
async function leaveSnapshot(): Promise<string> {
  const first = fixture.start(PODS, undefined, { directory });
  await first.informer.synced;
  const version = await churn();
  await fixture.caughtUp(first, version);
  await first.engine.close();
  expect(fixture.errors).toEqual([]);
  return version;
}

/** The next engine, when it has reached this version and was compared with an exact list at it. */
async function restarted(version: string): Promise<{ next: ObservedInformer; lists: number }> {
  const proxy = await fixture.proxy();
  const next = fixture.start(PODS, proxy, { directory });
  await next.informer.synced;
  await fixture.caughtUp(next, version);
  expect(await fixture.expectExact(next)).toBe(next.informer.indexer.size);
  const lists = proxy.requests.filter(
    ({ verb, path, query }) => path === PATH && (verb === 'list' || query['sendInitialEvents'] === 'true'),
  );
  return { next, lists: lists.length };
}

const reasons = (): unknown[] =>
  fixture.errors.map((error) => (error instanceof SnapshotError ? error.reason : error.code));

describe(`an engine that restarts with the cache of ${COUNT} pods, which have changed meanwhile`, () => {
  it('starts warm while the watch cache of the API server has the changes', async () => {
    await leaveSnapshot();
    const { next, lists } = await restarted(await churn());
    expect(next.informer.isWarm).toBe(true);
    expect(lists).toBe(0);
    // A second add of an object without a deletion, and an update of another state, are errors of the handler.
    expect(reasons()).toEqual([]);
  });

  it('tells handlers each object once if nothing has changed', async () => {
    const { next, lists } = await restarted(await leaveSnapshot());
    expect(next.informer.isWarm).toBe(true);
    expect(lists).toBe(0);
    expect(next.fold.notifications).toBe(next.informer.indexer.size);
    expect(reasons()).toEqual([]);
  });

  it('lists if the watch cache no longer has the changes', async () => {
    await leaveSnapshot();
    const version = await churn();
    await fixture.target.restart('shutdown');
    const { next, lists } = await restarted(version);
    expect(next.informer.isWarm).toBe(false);
    expect(lists).toBeGreaterThan(0);
    expect(next.fold.notifications).toBe(next.informer.indexer.size);
    expect(reasons()).toEqual(['expired']);
  });

  it('lists if etcd has compacted the changes', async () => {
    await leaveSnapshot();
    const version = await churn();
    await controlPlane.stopApiServer();
    using etcd = new EtcdClient(controlPlane.ports.etcd);
    await etcd.compact(await etcd.put('kubeflect-test', Buffer.from('1')));
    // Watches are served from etcd.
    await controlPlane.startApiServer(['--watch-cache=false']);
    const { next, lists } = await restarted(version);
    expect(next.informer.isWarm).toBe(false);
    expect(lists).toBeGreaterThan(0);
    expect(next.fold.notifications).toBe(next.informer.indexer.size);
    expect(reasons()).toEqual(['expired']);
  });
});
