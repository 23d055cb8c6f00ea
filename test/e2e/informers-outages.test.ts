import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { configMap } from '../conformance/harness/objects.js';
import { Sandbox } from '../conformance/harness/sandbox.js';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { EtcdClient } from '../controlplane/etcd-client.js';
import { openFailingTarget } from '../suites/informers/control-plane-target.js';
import { openFailingEmbedded } from '../suites/informers/embedded-target.js';
import type { InformerFixture, ObservedInformer } from '../suites/informers/informer-fixture.js';
import { describeOutages, received } from '../suites/informers/outage-suite.js';
import { isExpired, type RecordingProxy } from '../suites/informers/recording-proxy.js';

const PODS = 20_000;
const ETCD_OUTAGE_MS = 30_000;

/** Without a watch cache lists and watches are served from etcd, and expire with its history. */
const WITHOUT_CACHE = ['--watch-cache=false'];

let controlPlane: ControlPlane;

afterAll(() => controlPlane.stop());

describeOutages(
  'informers on a failing API server',
  async () => {
    controlPlane = await startControlPlane();
    return openFailingTarget(controlPlane);
  },
  { pods: PODS, more: describeEtcd },
);

// The tests without a control plane run the same suite with fewer pods.
describeOutages('informers on a failing embedded API server', openFailingEmbedded, { pods: PODS });

function describeEtcd(fixture: () => InformerFixture): void {
  describe('an informer', () => {
    test('continues after etcd was down for 30 s, and syncs afterwards if it was started meanwhile', () =>
      withConfigMaps(async (ns) => {
        const running = start(ns);
        await running.informer.synced;
        await controlPlane.stopEtcd();
        // With different options: equal ones would give the same informer.
        const late = start(ns, undefined, { pageSize: 400 });
        // The outage lasts.
        await sleep(ETCD_OUTAGE_MS);
        expect(late.informer.hasSynced).toBe(false);
        expect(running.informer.indexer.size).toBe(3);
        await controlPlane.startEtcd();
        await late.informer.synced;
        const { metadata } = await ns.create('configmaps', configMap('after'));
        for (const observed of [running, late]) {
          await fixture().caughtUp(observed, metadata.resourceVersion);
          expect(await fixture().expectExact(observed)).toBe(4);
        }
      }));

    test('relists after 410 Gone when etcd has compacted the events that a watch missed', () =>
      withConfigMaps(async (ns) => {
        const proxy = await fixture().proxy();
        const observed = start(ns, proxy);
        await observed.informer.synced;
        const { metadata } = await ns.create('configmaps', configMap('seen'));
        await fixture().caughtUp(observed, metadata.resourceVersion);
        await controlPlane.stopApiServer();
        await compact();
        await controlPlane.startApiServer(WITHOUT_CACHE);
        const { metadata: next } = await ns.create('configmaps', configMap('after'));
        await fixture().caughtUp(observed, next.resourceVersion);
        expect(await fixture().expectExact(observed)).toBe(5);
        expect(proxy.of('watch').filter(isExpired)).toHaveLength(1);
        expect(proxy.of('list')).toHaveLength(2);
      }));

    test('gets the complete list when etcd compacts its version between two pages', async () => {
      const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
      const proxy = await fixture().proxy();
      const observed = fixture().start({ ...pods, list: 'paged', pageSize: 100 }, proxy);
      await received(observed, PODS / 20);
      expect(observed.informer.hasSynced).toBe(false);
      await compact();
      await observed.informer.synced;
      // Not always all pods: a change that an earlier crash interrupted may have left a pod deleted.
      expect(await fixture().expectExact(observed)).toBeGreaterThan(PODS * 0.99);
      expect(proxy.of('list').filter(isExpired).length).toBeGreaterThan(0);
    });
  });

  function start(ns: Sandbox, proxy?: RecordingProxy, options: { pageSize?: number } = {}): ObservedInformer {
    const kind = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
    return fixture().start({ ...kind, ...options, namespace: ns.name }, proxy);
  }

  /**
   * Compacts everything before the second of two writes to etcd that no API server has made: a watch of the last version
   * begins with the first of them, which is gone.
   */
  async function compact(): Promise<void> {
    using etcd = new EtcdClient(controlPlane.ports.etcd);
    const write = () => etcd.put('kubeflect-test', Buffer.from(randomUUID()));
    await write();
    await etcd.compact(await write());
  }

  async function withConfigMaps(run: (ns: Sandbox) => Promise<void>): Promise<void> {
    const ns = await Sandbox.open(fixture().target.api);
    for (const name of ['one', 'two', 'three']) await ns.create('configmaps', configMap(name));
    await run(ns);
    await ns.close();
  }
}
