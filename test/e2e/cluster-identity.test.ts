/** Whether the cluster at an address is the same as before, as real API servers tell it by their flow schemas. */

import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../conformance/harness/client.js';
import { configMap } from '../conformance/harness/objects.js';
import { readConnection } from '../conformance/harness/target.js';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { EtcdClient } from '../controlplane/etcd-client.js';
import { openRealTarget } from '../suites/informers/control-plane-target.js';
import { InformerFixture, type ObservedInformer } from '../suites/informers/informer-fixture.js';
import { TcpBalancer } from '../suites/pair/tcp-balancer.js';

const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
const PATH = '/api/v1/namespaces/default/configmaps';
/** As many as it takes that some of them are accepted before the new server knows its flow schemas. */
const INFORMERS = 20;
/** More versions than a new cluster has had when it is ready. */
const MANY_VERSIONS = 1000;
const RECOVERY_MS = 90_000;

const FLOW_SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
const FLOW_SCHEMA_HEADER = 'x-kubernetes-pf-flowschema-uid';
const PRIORITY_LEVEL_HEADER = 'x-kubernetes-pf-prioritylevel-uid';

let controlPlane: ControlPlane;
let fixture: InformerFixture;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  fixture = new InformerFixture(await openRealTarget(controlPlane.kubeConfigs.admin));
});

afterEach(() => fixture.leave());

afterAll(async () => {
  await fixture.close();
  await controlPlane.stop();
});

async function create(name: string): Promise<string> {
  const { api } = fixture.target;
  const { status, text, json } = await api.request('POST', PATH, { body: configMap(name) });
  expect(status, text).toBe(201);
  return json.metadata.resourceVersion;
}

async function spendVersions(count: number): Promise<void> {
  using etcd = new EtcdClient(controlPlane.ports.etcd);
  for (let i = 0; i < count; i++) await etcd.put('kubeflect-test', Buffer.from(String(i)));
}

async function watching(observed: ObservedInformer): Promise<void> {
  await observed.informer.synced;
  await expect.poll(() => observed.stats().isWatching).toBe(true);
}

describe('a cluster that is created anew at the same address', () => {
  afterEach(async () => void (await fixture.target.api.request('DELETE', PATH)));

  it.each([
    ['restart at 1', MANY_VERSIONS, 0],
    ['have overtaken those of the old cluster', 0, 3 * MANY_VERSIONS],
  ])('and whose versions %s: no stale object stays', async (_, before, after) => {
    await spendVersions(before);
    await create('stale');
    await create('in-both');
    const informers = Array.from({ length: INFORMERS }, (_, i) =>
      fixture.start({ ...CONFIG_MAPS, namespace: 'default', labelSelector: `number!=n${i}` }),
    );
    await Promise.all(informers.map(watching));
    const lists = informers.map(({ stats }) => stats().relists);
    const old = BigInt(informers[0]?.informer.lastStoreSyncResourceVersion ?? 0);

    await controlPlane.startAnew({ beforeApiServer: () => spendVersions(after) });
    await create('in-both');
    const version = await create('new');
    expect(BigInt(version) > old).toBe(after > 0);

    for (const { informer } of informers) {
      await expect
        .poll(() => informer.indexer.listKeys(), { timeout: RECOVERY_MS })
        .not.toContain('default/stale');
    }
    const latest = await create('later');
    for (const observed of informers) {
      await fixture.caughtUp(observed, latest);
      await fixture.expectExact(observed);
    }
    // A streaming list at a version that is too large, one without a version, and the exact list that it is compared with.
    const relists = informers.map(({ stats }, i) => stats().relists - (lists[i] ?? 0));
    expect(Math.max(...relists)).toBeLessThanOrEqual(3);
  });
});

describe('a flow schema that an administrator adds', () => {
  it('is another one for each following watch, and causes no list', async () => {
    await using balancer = await TcpBalancer.start([controlPlane.apiServer.port]);
    const direct = readFileSync(controlPlane.kubeConfigs.clientCertificate, 'utf8');
    const kubeConfig = direct.replace(controlPlane.url, balancer.url);
    const api = new ApiClient(await readConnection(kubeConfig));
    const user = new InformerFixture({ ...fixture.target, kubeConfig, close: async () => api.close() });
    try {
      const observed = user.start({ ...CONFIG_MAPS, namespace: 'default' });
      await watching(observed);
      const { relists } = observed.stats();
      const [schema, level] = await admittedBy(api);
      const created = await fixture.target.api.request('POST', FLOW_SCHEMAS, { body: FLOW_SCHEMA });
      expect(created.status, created.text).toBe(201);
      await expect.poll(() => admittedBy(api)).toEqual([created.json.metadata.uid, level]);
      expect(schema).not.toBe(created.json.metadata.uid);

      const { port } = controlPlane.apiServer;
      const before = balancer.connections.get(port) ?? 0;
      balancer.takeAway(port);
      balancer.bringBack(port);
      // Without this the next event might still come by the old watch.
      await expect
        .poll(() => observed.stats().isWatching && (balancer.connections.get(port) ?? 0) > before)
        .toBe(true);
      const version = await create('after-the-flow-schema');
      await user.caughtUp(observed, version);
      expect(observed.stats().relists).toBe(relists);
    } finally {
      await user.close();
    }
  });

  /** For all users, at the same priority level as before. */
  const FLOW_SCHEMA = {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name: 'example-test' },
    spec: {
      matchingPrecedence: 500,
      priorityLevelConfiguration: { name: 'global-default' },
      rules: [
        {
          subjects: [{ kind: 'Group', group: { name: 'system:authenticated' } }],
          resourceRules: [
            { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true },
          ],
        },
      ],
    },
  };

  async function admittedBy(api: ApiClient): Promise<(string | undefined)[]> {
    const { headers } = await api.get(PATH, { limit: 1 });
    return [headers[FLOW_SCHEMA_HEADER], headers[PRIORITY_LEVEL_HEADER]];
  }
});
