/**
 * Two API servers of different versions on one etcd, behind a TCP balancer, as in the middle of an upgrade: one is taken away
 * while the other comes back, again and again. `npm run soak -- --server pair --minutes 10` runs it for longer.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { compareResourceVersion } from 'kubeflect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../conformance/harness/client.js';
import { CustomResource } from '../conformance/harness/custom-resource.js';
import { Sandbox } from '../conformance/harness/sandbox.js';
import { readConnection } from '../conformance/harness/target.js';
import { waitForOk } from '../controlplane/access.js';
import type { ApiServer } from '../controlplane/api-server.js';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { ADMIN_USER, renderKubeConfig } from '../controlplane/credentials.js';
import { EtcdClient } from '../controlplane/etcd-client.js';
import { neighbourOf, selectedVersion } from '../controlplane/versions.js';
import { Churn, type ChurnOptions } from '../suites/informers/churn.js';
import { fillPods } from '../suites/informers/fill-pods.js';
import { InformerFixture, type ObservedInformer } from '../suites/informers/informer-fixture.js';
import type { InformerTarget } from '../suites/informers/informer-target.js';
import { TcpBalancer } from '../suites/pair/tcp-balancer.js';

const MINUTES = Number(process.env['KUBEFLECT_PAIR_MINUTES'] ?? '0.5');
const SWITCH_EVERY_MS = 5000;
/** Every so many switches the server that is away is restarted, too. */
const SWITCHES_PER_RESTART = 3;
const SWITCHES_PER_CHECK = 3;
const PODS = 600;
const WIDGETS = 200;

/** What a handler of an informer saw of versions, which must never decrease. */
class VersionLog {
  readonly decreases: string[] = [];
  readonly #versions = new Map<string, string>();
  readonly #observed: ObservedInformer;
  #latest = '';

  constructor(observed: ObservedInformer) {
    this.#observed = observed;
    observed.informer.addEventHandler({
      onAdd: (entry) => this.#see(entry),
      onUpdate: (_, entry) => this.#see(entry),
      onDelete: (entry) => this.#see(entry),
    });
  }

  #see({ key, resourceVersion }: { readonly key: string; readonly resourceVersion: string }): void {
    this.#compare(key, this.#versions.get(key), resourceVersion);
    this.#versions.set(key, resourceVersion);
    const { lastStoreSyncResourceVersion: version } = this.#observed.informer;
    this.#compare('the informer', this.#latest === '' ? undefined : this.#latest, version);
    this.#latest = version;
  }

  #compare(what: string, before: string | undefined, after: string): void {
    if (before === undefined || compareResourceVersion(after, before) !== -1) return;
    this.decreases.push(`${what}: ${before} to ${after}`);
  }
}

let controlPlane: ControlPlane;
let servers: readonly ApiServer[];
let balancer: TcpBalancer;
let fixture: InformerFixture<InformerTarget>;
let widgets: CustomResource;
let sandbox: Sandbox;
const versions = [selectedVersion(), neighbourOf(selectedVersion())] as const;
const counts = { switches: 0, restarts: 0, checks: 0, writes: 0 };

beforeAll(async () => {
  controlPlane = await startControlPlane({ version: versions[0] });
  servers = [controlPlane.apiServer, await controlPlane.addApiServer(versions[1])];
  balancer = await TcpBalancer.start(servers.map(({ port }) => port));
  const kubeConfig = renderKubeConfig(balancer.url, ADMIN_USER, controlPlane.admin);
  const api = new ApiClient(await readConnection(kubeConfig));
  const history = { events: 100, ageMs: 75_000 };
  fixture = new InformerFixture({
    kubeConfig,
    api,
    history,
    bookmarkMs: 90_000,
    close: async () => api.close(),
  });
  using etcd = new EtcdClient(controlPlane.ports.etcd);
  await fillPods(api, etcd, PODS);
  widgets = await CustomResource.define(api);
  // Each server establishes a definition on its own.
  for (const { url } of servers) await waitForOk(url + widgets.clusterPath, controlPlane.admin, 60_000);
  sandbox = await Sandbox.open(api);
  for (let i = 0; i < WIDGETS; i++) await sandbox.createAt(widgets.pathIn(sandbox), widgets.widget(`w-${i}`));
}, 240_000);

afterAll(async () => {
  await fixture.close();
  await balancer.close();
  await controlPlane.stop();
}, 60_000);

/** Takes away the other server, and brings this one back; now and then the one that is away is restarted. */
async function switchTo(present: ApiServer, absent: ApiServer): Promise<void> {
  balancer.bringBack(present.port);
  balancer.takeAway(absent.port);
  counts.switches++;
  if (counts.switches % SWITCHES_PER_RESTART === 0) {
    counts.restarts++;
    await absent.stop({ signal: counts.restarts % 2 === 0 ? 'SIGKILL' : 'SIGTERM' });
    await absent.start();
  }
}

async function churnDuring(work: () => Promise<void>): Promise<{ pods: string; widgets: string }> {
  const { api } = fixture.target;
  const options: ChurnOptions = { object: (name) => widgets.widget(name) };
  const churns = [
    await Churn.start(api, '/api/v1/pods'),
    await Churn.start(api, widgets.clusterPath, options),
  ] as const;
  await work();
  const [pods, ofWidgets] = await Promise.all(churns.map((churn) => churn.end()));
  for (const { writes } of churns) counts.writes += writes;
  return { pods: pods ?? '', widgets: ofWidgets ?? '' };
}

describe(`informers on a pair of API servers, ${versions.join(' and ')}, that are taken away in turn`, () => {
  it(
    `have the state of etcd at every check of ${MINUTES} minutes, versions never decrease, and lists are few`,
    async () => {
      const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
      const custom = { apiVersion: widgets.apiVersion, kind: 'Widget', plural: 'widgets' };
      const informers = {
        pods: [fixture.start(pods), fixture.start({ ...pods, encoding: 'json', list: 'paged' })],
        widgets: [fixture.start(custom), fixture.start({ ...custom, list: 'paged' })],
      };
      const all = [...informers.pods, ...informers.widgets];
      const logs = all.map((observed) => new VersionLog(observed));
      await Promise.all(all.map(({ informer }) => informer.synced));

      const endMs = performance.now() + MINUTES * 60_000;
      while (performance.now() < endMs) {
        const reached = await churnDuring(async () => {
          for (let i = 0; i < SWITCHES_PER_CHECK; i++) {
            const [present, absent] = counts.switches % 2 === 0 ? servers : servers.toReversed();
            const nextMs = performance.now() + SWITCH_EVERY_MS;
            await switchTo(present!, absent!);
            // Churn goes on until the next switch.
            await sleep(Math.max(0, nextMs - performance.now()));
          }
        });
        for (const observed of informers.pods) await fixture.caughtUp(observed, reached.pods);
        for (const observed of informers.widgets) await fixture.caughtUp(observed, reached.widgets);
        for (const observed of all) await fixture.expectExact(observed);
        expect(logs.flatMap(({ decreases }) => decreases)).toEqual([]);
        counts.checks++;
      }
      const relists = all.map(({ stats }) => stats().relists);
      const connections = servers.map(({ port }) => balancer.connections.get(port) ?? 0);
      console.log(JSON.stringify({ versions, ...counts, relists, connections }));
      expect(counts.checks).toBeGreaterThan(0);
      expect(counts.restarts).toBeGreaterThan(0);
      for (const made of connections) expect(made).toBeGreaterThan(0);
      // A watch resumes on the other server; only one whose history begins later makes it list.
      for (const lists of relists) expect(lists).toBeLessThanOrEqual(counts.restarts + 1);
    },
    (MINUTES + 5) * 60_000,
  );
});
