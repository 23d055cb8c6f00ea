import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineOptions } from 'kubeflect';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { AdvancedEngineOptions } from '#dist/src/engine/engine-options.js';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';
import { ToxicProxy, type Toxics } from '../support/servers/toxic-proxy.js';
import { TunnelProxy } from '../support/servers/tunnel-proxy.js';
import { ROOT } from '../support/source/source-files.js';
import { fastClock } from '../support/time/fast-clock.js';

const TOKEN = 'a-token-of-some-length';
const NAMESPACES = ['silent', 'flowing'] as const;
/** Watches that may fail in a row before the version they start from is doubted; more must not be a reason to list. */
const FAILED_WATCHES = 4;
/** The second line, and what else takes time, is out of the way. */
const PATIENT = { watchStallMs: 600_000, connectMs: 60_000 };

/** A server in a process of its own, which ends by itself. */
const SERVE = `
  import { startApiServer } from 'kubeflect/testing';
  process.stdout.write((await startApiServer({ bookmarkIntervalMs: 3_600_000 })).url);
  setTimeout(() => process.exit(), 60_000);
`;

let world: EngineFixture;
let proxy: ToxicProxy;
let changes = 0;

beforeAll(async () => {
  // Nothing comes on a watch by itself.
  world = await EngineFixture.start({ bookmarkIntervalMs: 3_600_000 });
  for (const name of NAMESPACES) {
    await world.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await world.configMap('c', {}, name);
  }
});
afterAll(() => world.close());
beforeEach(async () => {
  proxy = await ToxicProxy.before(world.server.port);
});
afterEach(async () => {
  await world.closeEngines();
  await proxy[Symbol.asyncDispose]();
});

function engineOf(limits: AdvancedEngineOptions['limits'], options: Partial<EngineOptions> = {}) {
  return world.engine({
    connection: { server: proxy.url, headers: { Authorization: `Bearer ${TOKEN}` } },
    // With this randomness, backoffs stay short.
    advanced: { clock: fastClock(10), random: () => 0, limits: { ...PATIENT, ...limits } },
    ...options,
  });
}

const change = (namespace: string): Promise<string> =>
  world.patchConfigMap('c', { changed: `${changes++}` }, namespace);
const probes = (): string[] => proxy.requests.filter((line) => line.startsWith('GET /livez '));
const watches = (of = ''): string[] =>
  proxy.requests.filter((line) => line.includes('watch=') && line.includes(of));

const HOLES: readonly (readonly [string, Toxics['blackHole'], boolean])[] = [
  ['of both directions', true, false],
  ['of responses', 'answers', false],
  ['of requests', 'requests', false],
  ['behind a second proxy', true, true],
];

describe('an engine behind a proxy that keeps connections open', () => {
  it.each(HOLES)(
    'notices a black hole %s, and recovers without a relist however long it lasts',
    async (_, blackHole, isTunnel) => {
      await using tunnel = await TunnelProxy.start('http');
      const connection = {
        server: proxy.url,
        headers: { Authorization: `Bearer ${TOKEN}` },
        ...(isTunnel && { proxyUrl: tunnel.url }),
      };
      const engine = engineOf({ probeAfterMs: 100, probeMs: 400 }, { connection });
      const informer = engine.informer(CONFIG_MAPS);
      informer.start();
      await informer.synced;
      const stats = () => engine.stats().informers[0];
      await expect.poll(() => stats()?.isWatching).toBe(true);
      const [before, lists] = [watches().length, (await world.lists()).length];
      proxy.toxics = { blackHole: blackHole ?? true };
      await change('silent');
      await expect
        .poll(() => watches().length, { timeout: 25_000 })
        .toBeGreaterThanOrEqual(before + FAILED_WATCHES);
      expect(probes().length).toBeGreaterThan(0);
      proxy.toxics = {};
      await world.converged(informer, CONFIG_MAPS);
      expect(stats()?.relists).toBe(0);
      expect(await world.lists()).toHaveLength(lists);
      // Why the last watch failed, and not what was sent with it.
      const told = world.errors.map(({ message }) => message).join('\n');
      expect(told).toContain('the server did not answer a probe within 400 ms');
      expect(told).not.toContain(TOKEN);
    },
  );

  it('ends silent watches, and keeps those that receive events', async () => {
    const engine = engineOf({ probeAfterMs: 1000, probeMs: 400 });
    const [silent, flowing] = NAMESPACES.map((namespace) => engine.informer({ ...CONFIG_MAPS, namespace }));
    if (silent === undefined || flowing === undefined) throw new Error('there are two');
    for (const informer of [silent, flowing]) informer.start();
    await Promise.all([silent.synced, flowing.synced]);
    await expect.poll(() => engine.stats().informers.every(({ isWatching }) => isWatching)).toBe(true);
    proxy.toxics = { blackHole: true, spares: '/namespaces/flowing/' };
    while (watches('/silent/').length < 2) {
      await change('flowing');
      // The rate of changes that keeps the other watch from being silent.
      await sleep(20);
    }
    const version = await change('flowing');
    await expect.poll(() => flowing.lister.get('flowing/c')?.metadata?.resourceVersion).toBe(version);
    expect(watches('/flowing/')).toHaveLength(1);
    proxy.toxics = {};
    const last = await change('silent');
    await expect.poll(() => silent.lister.get('silent/c')?.metadata?.resourceVersion).toBe(last);
    expect(engine.stats().informers.map(({ relists }) => relists)).toEqual([0, 0]);
  });
});

describe('a server that is suspended', () => {
  it('is noticed, and causes no relist when it resumes', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', SERVE], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [server] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const engine = engineOf({ probeAfterMs: 100, probeMs: 400 }, { connection: { server, headers: {} } });
    let failures = 0;
    const informer = engine.informer({ ...CONFIG_MAPS, watchErrorHandler: () => void failures++ });
    informer.start();
    await informer.synced;
    const stats = () => engine.stats().informers[0];
    await expect.poll(() => stats()?.isWatching).toBe(true);
    child.kill('SIGSTOP');
    await expect.poll(() => failures, { timeout: 25_000 }).toBeGreaterThanOrEqual(3);
    child.kill('SIGCONT');
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'after' } };
    const body = JSON.stringify(object);
    const headers = { 'Content-Type': 'application/json' };
    await fetch(`${server}/api/v1/namespaces/default/configmaps`, { method: 'POST', body, headers });
    await expect.poll(() => informer.lister.get('default/after')).toBeDefined();
    expect(stats()?.relists).toBe(0);
  });
});

describe('silent watches of one connection', () => {
  it('are kept while the server responds to one probe for all of them', async () => {
    const engine = engineOf({ probeAfterMs: 200, probeMs: 60_000 });
    const informers = Array.from({ length: 20 }, (_, index) =>
      engine.informer({ ...CONFIG_MAPS, pageSize: 100 + index }),
    );
    const sinceMs = performance.now();
    for (const informer of informers) informer.start();
    await Promise.all(informers.map(({ synced }) => synced));
    await expect.poll(() => probes().length).toBeGreaterThanOrEqual(5);
    expect(probes().length).toBeLessThanOrEqual((performance.now() - sinceMs) / 200 + 1);
    expect(watches()).toHaveLength(informers.length);
    expect(world.errors).toEqual([]);
  });

  it('leave no pending probe when the engine is closed', async () => {
    // On this thread: no thread takes what is left with it.
    const engine = engineOf({ probeAfterMs: 200, probeMs: 60_000 }, { workers: 0 });
    const informer = engine.informer(CONFIG_MAPS);
    informer.start();
    await informer.synced;
    await expect.poll(() => engine.stats().informers[0]?.isWatching).toBe(true);
    proxy.toxics = { blackHole: true };
    await expect.poll(() => probes().length).toBe(1);
    await engine.close();
    await expect.poll(() => proxy.open).toBe(0);
  });
});
