import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { configMap } from '../conformance/harness/objects.js';
import { Sandbox } from '../conformance/harness/sandbox.js';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { EtcdClient } from '../controlplane/etcd-client.js';
import { openFailingTarget } from '../suites/informers/control-plane-target.js';
import { openFailingEmbedded } from '../suites/informers/embedded-target.js';
import type { InformerScene, Mirror } from '../suites/informers/informer-scene.js';
import { describeOutages, received } from '../suites/informers/outage-suite.js';
import { isExpired, type RecordingProxy } from '../suites/informers/recording-proxy.js';

const PODS = 20_000;
const ETCD_OUTAGE_MS = 30_000;

/** Lists and watches then come from etcd itself, and end where its history does. */
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

// Here too at this size: the tests without a control plane have fewer pods.
describeOutages('informers on a failing embedded API server', openFailingEmbedded, { pods: PODS });

function describeEtcd(scene: () => InformerScene): void {
  describe('an informer, when etcd', () => {
    test('is away for 30 s, goes on; one that is started then syncs when etcd is back', () =>
      withConfigMaps(async (ns) => {
        const running = start(ns);
        await running.informer.synced;
        await controlPlane.stopEtcd();
        // With options of its own: equal ones would be the same informer.
        const late = start(ns, undefined, { pageSize: 400 });
        // The outage lasts.
        await sleep(ETCD_OUTAGE_MS);
        expect(late.informer.hasSynced).toBe(false);
        expect(running.informer.indexer.size).toBe(3);
        await controlPlane.startEtcd();
        await late.informer.synced;
        const { metadata } = await ns.create('configmaps', configMap('after'));
        for (const mirror of [running, late]) {
          await scene().caughtUp(mirror, metadata.resourceVersion);
          expect(await scene().expectExact(mirror)).toBe(4);
        }
      }));

    test('has compacted what a watch has missed, is told 410 and lists again', () =>
      withConfigMaps(async (ns) => {
        const proxy = await scene().proxy();
        const mirror = start(ns, proxy);
        await mirror.informer.synced;
        const { metadata } = await ns.create('configmaps', configMap('seen'));
        await scene().caughtUp(mirror, metadata.resourceVersion);
        await controlPlane.stopApiServer();
        await compact();
        await controlPlane.startApiServer(WITHOUT_CACHE);
        const { metadata: next } = await ns.create('configmaps', configMap('after'));
        await scene().caughtUp(mirror, next.resourceVersion);
        expect(await scene().expectExact(mirror)).toBe(5);
        expect(proxy.of('watch').filter(isExpired)).toHaveLength(1);
        expect(proxy.of('list')).toHaveLength(2);
      }));

    test('has compacted the version of a list in the middle of it, still gets all of it', async () => {
      const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
      const proxy = await scene().proxy();
      const mirror = scene().start({ ...pods, list: 'paged', pageSize: 100 }, proxy);
      await received(mirror, PODS / 20);
      expect(mirror.informer.hasSynced).toBe(false);
      await compact();
      await mirror.informer.synced;
      // All that the server has: a change that an earlier crash cut short may have left a pod deleted.
      expect(await scene().expectExact(mirror)).toBeGreaterThan(PODS * 0.99);
      expect(proxy.of('list').filter(isExpired).length).toBeGreaterThan(0);
    });
  });

  function start(ns: Sandbox, proxy?: RecordingProxy, options: { pageSize?: number } = {}): Mirror {
    const kind = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
    return scene().start({ ...kind, ...options, namespace: ns.name }, proxy);
  }

  /** A write that no API server knows of, and nothing before it. */
  async function compact(): Promise<void> {
    using etcd = new EtcdClient(controlPlane.ports.etcd);
    await etcd.compact(await etcd.put('kubeflect-test', Buffer.from(randomUUID())));
  }

  async function withConfigMaps(run: (ns: Sandbox) => Promise<void>): Promise<void> {
    const ns = await Sandbox.open(scene().target.api);
    for (const name of ['one', 'two', 'three']) await ns.create('configmaps', configMap(name));
    await run(ns);
    await ns.close();
  }
}
