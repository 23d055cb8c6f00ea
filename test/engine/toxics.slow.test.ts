import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture, Fold } from '../support/engine/engine-fixture.js';
import { ToxicProxy, type Toxics } from '../support/servers/toxic-proxy.js';
import { fastClock } from '../support/time/fast-clock.js';

const OBJECTS = 20;

let world: EngineFixture;
let proxy: ToxicProxy;
let changes = 0;

beforeAll(async () => {
  world = await EngineFixture.start({ bookmarkIntervalMs: 200 });
  for (let i = 0; i < OBJECTS; i++) await world.configMap(`c${i}`, { value: 'x'.repeat(500) });
});
afterAll(() => world.close());
beforeEach(async () => {
  proxy = await ToxicProxy.before(world.server.port);
});
afterEach(async () => {
  await world.closeEngines();
  await proxy[Symbol.asyncDispose]();
});

/** Through the proxy, with little patience. */
function mirrored(watchStallMs = 60_000) {
  const engine = world.engine({
    connection: { server: proxy.url, headers: {} },
    workers: 1,
    advanced: { clock: fastClock(10), limits: { watchStallMs, connectMs: 5000 } },
  });
  const informer = engine.informer({ ...CONFIG_MAPS, pageSize: 8 });
  const fold = new Fold();
  informer.addEventHandler(fold);
  informer.start();
  return { engine, informer, fold };
}

const change = (): Promise<string> =>
  world.patchConfigMap(`c${changes++ % OBJECTS}`, { changed: `${changes}` });

const TOXICS: readonly (readonly [string, Toxics])[] = [
  ['latency', { latencyMs: 30 }],
  ['pieces of seven bytes', { sliceBytes: 7 }],
  ['little bandwidth', { bytesPerSecond: 200_000, sliceBytes: 2000 }],
  ['cuts', { endAfterBytes: 9000, end: 'cut' }],
  ['resets', { endAfterBytes: 9000, end: 'reset' }],
];

describe('an engine behind a toxic proxy', () => {
  it.each(TOXICS)('receives everything through %s', async (_, toxics) => {
    // Connections that end after 9,000 bytes never bring a whole page of the first list.
    if (toxics.end === undefined) proxy.toxics = toxics;
    const { informer, fold } = mirrored();
    await informer.synced;
    proxy.toxics = toxics;
    for (let i = 0; i < 12; i++) await change();
    await world.converged(informer, { apiVersion: 'v1', kind: 'ConfigMap' });
    await expect.poll(() => fold.equals(informer)).toBe(true);
  });
});

describe('a black hole behind a proxy', () => {
  it('is noticed by the stalled watch, and causes no relist', async () => {
    const { engine, informer } = mirrored(2000);
    const stats = () => engine.stats().informers[0];
    await informer.synced;
    await expect.poll(() => stats()?.isWatching).toBe(true);
    const { connections } = proxy;
    proxy.toxics = { blackHole: true };
    await change();
    // The proxy keeps the connection to us open: only time can tell.
    await expect.poll(() => proxy.connections, { timeout: 15_000 }).toBeGreaterThan(connections);
    expect(proxy.open).toBeGreaterThan(0);
    proxy.toxics = {};
    await world.converged(informer, { apiVersion: 'v1', kind: 'ConfigMap' });
    expect(stats()?.relists).toBe(0);
  });
});

describe('a server that refuses connections and comes back', () => {
  it('causes no relist', async () => {
    const { engine, informer } = mirrored();
    const stats = () => engine.stats().informers[0];
    await informer.synced;
    await expect.poll(() => stats()?.isWatching).toBe(true);
    proxy.toxics = { refuse: true };
    await world.server.closeWatches();
    await expect.poll(() => stats()?.isWatching).toBe(false);
    await change();
    proxy.toxics = {};
    await world.converged(informer, { apiVersion: 'v1', kind: 'ConfigMap' });
    expect(stats()?.lagMs).toBeDefined();
  });
});
