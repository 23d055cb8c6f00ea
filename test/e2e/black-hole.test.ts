import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ApiClient } from '../conformance/harness/client.js';
import { configMap } from '../conformance/harness/objects.js';
import { Sandbox } from '../conformance/harness/sandbox.js';
import { readConnection } from '../conformance/harness/target.js';
import { ToxicProxy } from '../support/servers/toxic-proxy.js';

/** Longer than three watches take to fail. */
const LASTS_MS = 60_000;

let api: ApiClient;
let ns: Sandbox;
let proxy: ToxicProxy;
let engine: Engine;

beforeAll(async () => {
  const file = readFileSync(inject('kubeConfigs').admin, 'utf8');
  const connection = await readConnection(file);
  api = new ApiClient(connection);
  ns = await Sandbox.open(api);
  proxy = await ToxicProxy.before(Number(connection.url.port));
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(file.replaceAll(connection.url.origin, proxy.url.replace('http:', 'https:')));
  engine = new Engine({ kubeConfig, workers: 1, onError: () => {} });
});

afterAll(async () => {
  await engine.close();
  await proxy[Symbol.asyncDispose]();
  await ns.close();
  api.close();
});

test('a black hole in front of a real API server is detected within 30 s by default, and causes no list', async () => {
  const kind = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
  const informer = engine.informer({ ...kind, namespace: ns.name });
  const stats = () => engine.stats().informers[0];
  await ns.create('configmaps', configMap('before'));
  informer.start();
  await informer.synced;
  await expect.poll(() => stats()?.isWatching).toBe(true);
  proxy.toxics = { blackHole: true };
  const sinceMs = performance.now();
  await ns.create('configmaps', configMap('meanwhile'));
  await expect.poll(() => stats()?.isWatching, { timeout: 40_000, interval: 50 }).toBe(false);
  const noticedMs = performance.now() - sinceMs;
  // The outage lasts.
  await sleep(LASTS_MS);
  proxy.toxics = {};
  await expect
    .poll(() => informer.lister.get(`${ns.name}/meanwhile`), { timeout: 60_000 })
    .not.toBeUndefined();
  console.log(`detected after ${Math.round(noticedMs)} ms`);
  expect(noticedMs).toBeLessThan(30_000);
  expect(stats()?.relists).toBe(0);
}, 200_000);
