import { readFileSync } from 'node:fs';
import { CoreV1Api, KubeConfig, loadAllYaml } from '@kubernetes/client-node';
import type { Engine } from 'kubeflect';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Copier, copyConfigMaps } from '../../examples/config-map-copier/copy-config-maps.js';
import { EngineFixture } from '../support/engine/engine-fixture.js';
import { fastClock } from '../support/time/fast-clock.js';

const DEPLOYMENT = new URL('../../examples/config-map-copier/deployment.yaml', import.meta.url);

interface ConfigMap {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

let world: EngineFixture;
let engine: Engine;
let copier: Copier;
/** What the server should hold as sources, by key. */
let sources: Map<string, Record<string, string>>;
let namespaces: string[];
/** Keys that are reconciled now: none may be twice. */
let mostAtATime: Map<string, number>;

beforeEach(async () => {
  world = await EngineFixture.start();
  engine = world.engine({ advanced: { clock: fastClock(20) } });
  sources = new Map();
  const existing = await list<{ metadata: { name: string } }>('/api/v1/namespaces');
  namespaces = existing.map(({ metadata }) => metadata.name);
  for (const name of ['shop', 'billing']) await createNamespace(name);
  await createSource('settings', { colour: 'blue' });
  await createSource('limits', { cpu: '1' });
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(world.server.kubeConfig);
  copier = copyConfigMaps(engine, kubeConfig.makeApiClient(CoreV1Api));
  mostAtATime = watchQueue(copier);
  await copier.controller.synced;
});

afterEach(async () => {
  await copier[Symbol.asyncDispose]();
  await world.close();
});

/** Counts how often each key is handed out without having been handed back. */
function watchQueue({ controller: { queue } }: Copier): Map<string, number> {
  const running = new Map<string, number>();
  const most = new Map<string, number>();
  const get = queue.get.bind(queue);
  const done = queue.done.bind(queue);
  vi.spyOn(queue, 'get').mockImplementation(async () => {
    const key = await get();
    if (key === undefined) return key;
    running.set(key, (running.get(key) ?? 0) + 1);
    most.set(key, Math.max(most.get(key) ?? 0, running.get(key) ?? 0));
    return key;
  });
  vi.spyOn(queue, 'done').mockImplementation((key) => {
    running.set(key, (running.get(key) ?? 0) - 1);
    done(key);
  });
  return most;
}

async function list<T>(path: string): Promise<T[]> {
  const answer = (await (await fetch(world.server.url + path)).json()) as { items: T[] };
  return answer.items;
}

async function createNamespace(name: string): Promise<void> {
  await world.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  namespaces.push(name);
}

async function createSource(name: string, data: Record<string, string>): Promise<void> {
  const metadata = { name, namespace: 'default', labels: { 'copy.example.com/source': 'true' } };
  await world.server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  sources.set(`default/${name}`, data);
}

async function changeSource(name: string, data: Record<string, string>): Promise<void> {
  await world.patchConfigMap(name, data);
  sources.set(`default/${name}`, { ...sources.get(`default/${name}`), ...data });
}

/** `namespace/name data` of every copy there should be, and of every copy there is. */
function wanted(): string[] {
  return [...sources].flatMap(([key, data]) =>
    namespaces
      .filter((namespace) => namespace !== 'default')
      .map((namespace) => `${namespace}/${key.split('/')[1]} ${JSON.stringify(data)}`),
  );
}

async function copies(): Promise<string[]> {
  const found = await list<ConfigMap>('/api/v1/configmaps?labelSelector=copy.example.com/copy%3Dtrue');
  return found.map(({ metadata, data }) => `${metadata.namespace}/${metadata.name} ${JSON.stringify(data)}`);
}

/** How often a collection was asked for in whole, as a list or as a watch that begins with everything. */
async function wholeCollections(): Promise<number> {
  const streamed = (await world.server.requests()).filter(
    ({ query }) => query['sendInitialEvents'] === 'true',
  );
  return streamed.length + (await world.lists()).length;
}

async function everyCopyIsRight(): Promise<void> {
  await expect.poll(async () => (await copies()).sort(), { timeout: 20_000 }).toEqual(wanted().sort());
  const { queue } = copier.controller;
  await expect.poll(() => [queue.length, queue.processing, queue.delayed]).toEqual([0, 0, 0]);
  expect([...mostAtATime.values()].every((most) => most === 1)).toBe(true);
  expect([...mostAtATime.keys()].sort()).toEqual(expect.arrayContaining([...sources.keys()].sort()));
}

describe('the example controller makes every copy right', () => {
  it('when sources, copies and namespaces come, change and go', async () => {
    await everyCopyIsRight();
    await createNamespace('late');
    await changeSource('settings', { colour: 'red' });
    await world.patchConfigMap('limits', { cpu: 'wrong' }, 'shop');
    await world.deleteConfigMap('settings', 'billing');
    await everyCopyIsRight();
    await world.deleteConfigMap('limits');
    sources.delete('default/limits');
    await everyCopyIsRight();
  });

  it('and leaves a ConfigMap of the same name alone that is not a copy', async () => {
    await everyCopyIsRight();
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    await world.configMap('taken', { mine: 'true' }, 'shop');
    await createSource('taken', { colour: 'blue' });
    const isOurs = (line: string): boolean => !line.startsWith('shop/taken');
    await expect.poll(async () => (await copies()).sort()).toEqual(wanted().filter(isOurs).sort());
    await expect.poll(() => warned.mock.calls.flat()).toContain('shop/taken is no copy, and stays');
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'taken' };
    expect((await world.server.get(reference))?.['data']).toEqual({ mine: 'true' });
    warned.mockRestore();
  });

  it('when the worker is killed', async () => {
    await everyCopyIsRight();
    void engine.threads[0]?.terminate();
    await changeSource('settings', { colour: 'green' });
    await createNamespace('late');
    await everyCopyIsRight();
    expect(world.errors.map(({ code }) => code)).toContain('KUBEFLECT_WORKER_LOST');
  });

  it('when watches are cut', async () => {
    await everyCopyIsRight();
    await world.server.faults.add({
      match: { verb: 'watch' },
      count: 6,
      fault: { type: 'cut', afterBytes: 50 },
    });
    await world.server.closeWatches();
    await changeSource('settings', { colour: 'green' });
    await world.deleteConfigMap('limits', 'shop');
    await everyCopyIsRight();
    expect((await world.server.faults.hits()).every(({ hits }) => hits > 0)).toBe(true);
  });

  it('when history has expired: 410', async () => {
    await everyCopyIsRight();
    await world.server.faults.add({ match: { verb: 'watch' }, count: 3, fault: { type: 'expireHistory' } });
    const before = await wholeCollections();
    await world.server.closeWatches();
    await changeSource('settings', { colour: 'green' });
    await world.deleteConfigMap('settings', 'shop');
    await world.server.compact();
    await everyCopyIsRight();
    await expect.poll(wholeCollections).toBeGreaterThan(before);
  });

  it('when the API server is away for a while', async () => {
    await everyCopyIsRight();
    await world.server.faults.add({ count: 1, fault: { type: 'refuse', forMs: 400 } });
    await world.server.closeWatches();
    await changeSource('settings', { colour: 'green' });
    await world.deleteConfigMap('limits', 'shop');
    await everyCopyIsRight();
  });

  it('when writes are rejected for a while', async () => {
    await everyCopyIsRight();
    const match = { verb: ['create', 'update', 'delete'], path: '/api/v1/namespaces' };
    await world.server.faults.add({
      match,
      count: 5,
      fault: { type: 'status', code: 503, reason: 'ServiceUnavailable' },
    });
    await changeSource('settings', { colour: 'green' });
    await createNamespace('late');
    await everyCopyIsRight();
    expect(engine.metrics.text()).toMatch(
      /kubeflect_reconciles_total\{controller="config-map-copier",result="error"\} [1-9]/,
    );
  });
});

it('the role of the example allows exactly the requests that it makes', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  await world.configMap('taken', {}, 'shop');
  await createSource('taken', { colour: 'blue' });
  await changeSource('settings', { colour: 'red' });
  const isOurs = (line: string): boolean => !line.startsWith('shop/taken');
  await expect.poll(async () => (await copies()).sort()).toEqual(wanted().filter(isOurs).sort());
  await world.deleteConfigMap('limits');
  sources.delete('default/limits');
  await expect.poll(async () => (await copies()).sort()).toEqual(wanted().filter(isOurs).sort());
  const asked = (await world.server.requests())
    // Our own look at the server is the one without a name.
    .filter(({ userAgent }) => !/^node$|undici/.test(userAgent))
    .map(({ verb, path }) => `${verb} ${/(configmaps|namespaces)(\/[^/]+)?$/.exec(path)?.[1]}`);
  // Whether it lists or watches from the beginning depends on the server: it must be allowed both.
  const needed = asked.flatMap((what) => [what, what.replace(/^watch/, 'list')]);
  const role = loadAllYaml(readFileSync(DEPLOYMENT, 'utf8')).find(({ kind }) => kind === 'ClusterRole');
  const allowed = (role.rules as { resources: string[]; verbs: string[] }[]).flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );
  expect([...new Set(needed)].sort()).toEqual(allowed.sort());
});
