import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Engine } from 'kubeflect';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture, Fold, PODS } from '../support/engine/engine-fixture.js';
import { fastClock } from '../support/time/fast-clock.js';

let world: EngineFixture;

beforeAll(async () => {
  world = await EngineFixture.start();
  await world.server.populate({ kind: 'Pod', count: 1500, sizeBytes: 2000 });
  for (let i = 0; i < 5; i++) await world.configMap(`c${i}`);
});
afterEach(() => world.closeEngines());
afterAll(() => world.close());

const hasty = () => ({ advanced: { clock: fastClock(50), heartbeatTimeoutMs: 3_600_000 } });

describe('a connection function', () => {
  it('that fails occasionally only delays a list, whichever page it fails for', async () => {
    const connection = { server: world.server.url, headers: {} };
    let asked = 0;
    const engine = world.engine({
      ...hasty(),
      connection: () => {
        if (asked++ % 4 === 0) throw new Error('no token at the moment');
        return connection;
      },
    });
    const pods = engine.informer({ ...PODS, pageSize: 100 });
    pods.start();
    await pods.synced;
    await world.converged(pods, PODS);
    expect(asked).toBeGreaterThan(15);
    expect(world.faults.length).toBeGreaterThan(0);
    for (const error of world.faults) {
      expect(error).toMatchObject({
        code: expect.stringMatching(/^KUBEFLECT_(LIST|WATCH)_FAILED$/),
        cause: { code: 'KUBEFLECT_CREDENTIALS_FAILED' },
      });
    }
  });

  it('that returns no server is reported', async () => {
    const informer = world.engine({ connection: () => ({ headers: {} }) as never }).informer(CONFIG_MAPS);
    informer.start();
    await expect.poll(() => world.errors.at(0)?.cause).toMatchObject({ code: 'KUBEFLECT_OPTION_INVALID' });
    expect(informer.hasSynced).toBe(false);
  });
});

describe('an error handler', () => {
  it('that throws or rejects does not affect informers', async () => {
    const told: string[] = [];
    const handlers = [
      () => {
        throw new Error('in the error handler');
      },
      () => Promise.reject(new Error('later in the error handler')),
    ];
    for (const onError of handlers) {
      const engine = world.engine({
        onError: ({ code }) => {
          told.push(code);
          return onError() as unknown as undefined;
        },
      });
      const informer = engine.informer(CONFIG_MAPS);
      const fold = new Fold();
      informer.addEventHandler({
        onAdd() {
          throw new Error('in the handler');
        },
      });
      informer.addEventHandler(fold);
      informer.start();
      await informer.synced;
      await expect.poll(() => fold.equals(informer)).toBe(true);
    }
    await expect.poll(() => told.length).toBeGreaterThanOrEqual(10);
    expect(new Set(told)).toEqual(new Set(['KUBEFLECT_HANDLER_FAILED']));
  });
});

describe.each([0, 1, 2])('with %i workers', (workers) => {
  it('an engine can be closed during a list without an error', async () => {
    await world.server.faults.add({ match: { verb: 'list' }, fault: { type: 'delay', ms: 20 } });
    const engine = world.engine({ workers });
    const pods = engine.informer({ ...PODS, list: 'paged', pageSize: 100 });
    pods.start();
    await expect.poll(() => engine.stats().informers[0]?.listed, { interval: 1 }).toBeGreaterThan(100);
    const closed = engine.close();
    await expect(pods.synced).rejects.toMatchObject({ code: 'KUBEFLECT_INFORMER_STOPPED' });
    await closed;
    expect(pods.indexer.size).toBe(0);
    expect(engine.stats().workers.map(({ state, streams }) => [state, streams])).toEqual(
      Array.from({ length: Math.max(1, workers) }, () => ['closed', 0]),
    );
    expect(world.faults).toEqual([]);
  });

  it('an engine can be closed by a handler', async () => {
    const engine = world.engine({ workers });
    const pods = engine.informer(PODS);
    let told = 0;
    const closed = new Promise<void>((resolve) => {
      pods.addEventHandler({
        onAdd() {
          if (++told === 3) void engine.close().then(resolve);
        },
      });
    });
    pods.start();
    await closed;
    expect(told).toBe(3);
    expect(world.faults).toEqual([]);
  });

  it('an informer that is stopped while it syncs can be replaced by a new one', async () => {
    const engine = world.engine({ workers });
    for (let i = 0; i < 5; i++) {
      const pods = engine.informer({ ...PODS, pageSize: 100 });
      pods.start();
      // Stopped in every phase of the sync.
      await sleep(i * 10);
      // Not waited for.
      void pods.stop();
    }
    const pods = engine.informer({ ...PODS, pageSize: 100 });
    pods.start();
    await pods.synced;
    await world.converged(pods, PODS);
    expect(engine.stats().informers).toHaveLength(1);
    expect(world.faults).toEqual([]);
  });

  it('a closed engine leaves no connection open', async () => {
    const { server, url } = await emptyServer();
    const engine = new Engine({ connection: { server: url, headers: {} }, workers });
    const informers = ['watched', 'refused'].map((labelSelector) =>
      engine.informer({ ...CONFIG_MAPS, list: 'paged', labelSelector }),
    );
    for (const informer of informers) informer.start();
    await Promise.all(informers.map(({ synced }) => synced));
    await expect.poll(() => engine.stats().workers.reduce((sum, { streams }) => sum + streams, 0)).toBe(1);
    await engine.close();
    const connections = (): Promise<number> =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      );
    await expect.poll(connections).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });
});

it('an informer keeps its metrics if it replaces one that is still stopping', async () => {
  const engine = world.engine();
  const first = engine.informer(CONFIG_MAPS);
  let release = (): void => {};
  first.addEventHandler({
    onAdd: () =>
      new Promise((resolve) => {
        release = resolve;
      }),
  });
  first.start();
  await first.synced;
  const stopped = first.stop();
  const second = engine.informer(CONFIG_MAPS);
  second.start();
  await second.synced;
  release();
  await stopped;
  expect(engine.metrics.text()).toContain('kubeflect_informer_objects{name="configmaps"');
});

/** Has nothing, never closes an idle connection, never ends a watch, and refuses those with a selector that says so. */
async function emptyServer(): Promise<{ server: Server; url: string }> {
  const list = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] };
  const server = createServer({ keepAliveTimeout: 0 }, ({ url }, response) => {
    const isWatch = url?.includes('watch=true') ?? false;
    const isRefused = isWatch && url?.includes('refused');
    const headers = { 'Content-Type': 'application/json', 'Retry-After': '100' };
    response.writeHead(isRefused ? 429 : 200, headers);
    if (isWatch && !isRefused) response.flushHeaders();
    else response.end(JSON.stringify(list));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
