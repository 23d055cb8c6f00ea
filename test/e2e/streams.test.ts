/**
 * Several streams that list one collection of a real API server with the feature gate, and what lists cost the server.
 * KUBEFLECT_STREAMS_PODS=20000 for the full size.
 */

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { Engine, type InformerOptions, type KubeflectError } from 'kubeflect';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Target, targetOf } from '../conformance/harness/target.js';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { EtcdClient } from '../controlplane/etcd-client.js';
import { minorOf, selectedVersion } from '../controlplane/versions.js';
import { Churn } from '../suites/informers/churn.js';
import { fillPods } from '../suites/informers/fill-pods.js';
import { digestOf } from '../support/engine/engine-fixture.js';
import { ToxicProxy } from '../support/servers/toxic-proxy.js';

const PODS = Number(process.env['KUBEFLECT_STREAMS_PODS'] ?? '3000');
const ROUNDS = PODS >= 20_000 ? 3 : 1;
const HAS_FEATURE = Number(minorOf(selectedVersion()).split('.')[1]) >= 36;
const STREAMS = 4;
const PAGE = 5000;
/** Clock ticks per second in /proc. */
const TICKS = 100;
const COLLECTION = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };

describe.skipIf(!HAS_FEATURE)('a collection of a real API server that several streams list', () => {
  let controlPlane: ControlPlane;
  let target: Target;
  let kubeConfig: string;
  const errors: KubeflectError[] = [];
  const engines: Engine[] = [];

  beforeAll(async () => {
    controlPlane = await startControlPlane({
      apiServerFlags: ['--feature-gates=ShardedListAndWatch=true'],
    });
    kubeConfig = readFileSync(controlPlane.kubeConfigs.admin, 'utf8');
    target = await targetOf(kubeConfig);
    using etcd = new EtcdClient(controlPlane.ports.etcd);
    await fillPods(target.api, etcd, PODS);
  }, 240_000);
  afterEach(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
    errors.length = 0;
  });
  afterAll(async () => {
    await target.close();
    await controlPlane.stop();
  });

  function start(options: Partial<InformerOptions> = {}, config = kubeConfig) {
    const loaded = new KubeConfig();
    loaded.loadFromString(config);
    const engine = new Engine({
      kubeConfig: loaded,
      workers: 2,
      onError: (error) => void errors.push(error),
    });
    engines.push(engine);
    const informer = engine.informer({ ...COLLECTION, ...options });
    informer.start();
    return { engine, informer, stats: () => engine.stats().informers[0] };
  }

  async function serverDigest(): Promise<{ count: number; digest: string }> {
    const lines: string[] = [];
    let token = '';
    do {
      const query = { limit: PAGE, ...(token !== '' && { continue: token }) };
      const { json } = await target.api.get('/api/v1/pods', query);
      for (const { metadata } of json.items) {
        const { namespace, name, uid, resourceVersion } = metadata;
        lines.push(`${namespace}/${name} ${uid} ${resourceVersion}\n`);
      }
      token = json.metadata.continue ?? '';
    } while (token !== '');
    const keyOf = (line: string): string => line.slice(0, line.indexOf(' '));
    lines.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const hash = createHash('sha256');
    for (const line of lines) hash.update(line);
    return { count: lines.length, digest: hash.digest('hex') };
  }

  it.each(['protobuf', 'json'] as const)(
    'has the same cache by several streams as by one, while it changes (%s)',
    { timeout: 240_000 },
    async (encoding) => {
      const churn = await Churn.start(target.api, '/api/v1/pods');
      await churn.made(20);
      const several = start({ streams: STREAMS, encoding });
      const one = start({ encoding });
      await Promise.all([several.informer.synced, one.informer.synced]);
      expect(several.stats()?.streams).toEqual({ of: STREAMS, used: STREAMS, reason: undefined });
      await churn.made(200);
      await churn.end();
      const expected = await serverDigest();
      await expect.poll(() => digestOf(several.informer), { timeout: 60_000 }).toEqual(expected);
      await expect.poll(() => digestOf(one.informer), { timeout: 60_000 }).toEqual(expected);
      expect(several.stats()?.relists).toBe(0);
      expect(errors).toEqual([]);
    },
  );

  it('has the same cache when connections are cut', { timeout: 240_000 }, async () => {
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(kubeConfig)?.[1]);
    await using proxy = await ToxicProxy.before(port);
    const through = kubeConfig.replaceAll(`https://127.0.0.1:${port}`, proxy.url.replace('http:', 'https:'));
    const churn = await Churn.start(target.api, '/api/v1/pods');
    // Each connection ends in the middle of some page.
    proxy.toxics = { endAfterBytes: 400_000, end: 'reset' };
    const several = start({ streams: STREAMS, pageSize: 100 }, through);
    await several.informer.synced;
    expect(several.stats()?.streams?.used).toBe(STREAMS);
    expect(proxy.connections).toBeGreaterThan(STREAMS + 1);
    proxy.toxics = {};
    await churn.made(100);
    await churn.end();
    const expected = await serverDigest();
    await expect.poll(() => digestOf(several.informer), { timeout: 60_000 }).toEqual(expected);
  });

  it('costs the server so much', { timeout: 600_000 }, async () => {
    const lines: string[] = [];
    const cases: readonly (readonly [string, Partial<InformerOptions>])[] = [
      ['one stream, streaming list', { list: 'stream' }],
      ['one stream, pages', { list: 'paged' }],
      ['one stream, one response', { list: 'full' }],
      ['2 streams', { streams: 2 }],
      ['4 streams', { streams: 4 }],
      ['4 streams, pages of 8,000', { streams: 4, pageSize: 8000 }],
      ['4 streams, one response each', { streams: 4, list: 'full' }],
      ['8 streams', { streams: 8 }],
      ['shard 0 of 4, streaming list', { shard: { index: 0, of: 4 }, list: 'stream' }],
      ['shard 0 of 4, pages', { shard: { index: 0, of: 4 }, list: 'paged' }],
      ['shard 0 of 20, streaming list', { shard: { index: 0, of: 20 }, list: 'stream' }],
    ];
    for (const [name, options] of cases) {
      const runs: { cpu: number; seconds: number }[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const before = cpuSeconds(controlPlane.processIds.apiServer);
        const fromMs = performance.now();
        const { engine, informer } = start(options);
        await informer.synced;
        const seconds = (performance.now() - fromMs) / 1000;
        runs.push({ cpu: cpuSeconds(controlPlane.processIds.apiServer) - before, seconds });
        await engine.close();
      }
      const middle = (what: 'cpu' | 'seconds'): string =>
        (runs.map((run) => run[what]).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0).toFixed(2);
      lines.push(`${name}: API server CPU ${middle('cpu')} s, synced in ${middle('seconds')} s`);
    }
    console.log(`${PODS} pods\n${lines.join('\n')}`);
    const { KUBEFLECT_STREAMS_REPORT: report } = process.env;
    if (report !== undefined) writeFileSync(report, `${PODS} pods\n${lines.join('\n')}\n`);
    expect(errors.filter(({ code }) => code !== 'KUBEFLECT_STALLED')).toEqual([]);
  });
});

function cpuSeconds(processId: number | undefined): number {
  const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
