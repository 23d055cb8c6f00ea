import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type KubeflectError, Metrics } from 'kubeflect';
import { type Manager, type ManagerOptions, runManager } from 'kubeflect/controller';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture, PODS, type Pod } from '../support/engine/engine-fixture.js';
import { ScrapedMetrics } from '../support/metrics/scraped-metrics.js';
import { ask } from '../support/servers/http-client.js';

const CLIENT = fileURLToPath(new URL('../support/processes/manager-client.mjs', import.meta.url));
const HEALTH = { port: 0 };

/** Of controller-runtime and client-go. */
const UPSTREAM_METRICS = [
  'controller_runtime_reconcile_total',
  'controller_runtime_reconcile_errors_total',
  'controller_runtime_terminal_reconcile_errors_total',
  'controller_runtime_reconcile_timeouts_total',
  'controller_runtime_reconcile_time_seconds',
  'controller_runtime_active_workers',
  'controller_runtime_max_concurrent_reconciles',
  'rest_client_requests_total',
  'workqueue_depth',
  'workqueue_adds_total',
  'workqueue_retries_total',
  'workqueue_queue_duration_seconds',
  'workqueue_work_duration_seconds',
  'workqueue_unfinished_work_seconds',
  'workqueue_longest_running_processor_seconds',
];

let world: EngineFixture;
let managers: Manager[];
let errors: KubeflectError[];

beforeEach(async () => {
  world = await EngineFixture.start({ bookmarkIntervalMs: 100 });
  managers = [];
  errors = [];
});
afterEach(async () => {
  await Promise.all(managers.map((manager) => manager.stop()));
  await world.close();
});

type Some = Partial<Omit<ManagerOptions, 'controllers'>>;

/** One that reconciles ConfigMaps. */
function manage(
  reconcile: (key: string, signal: AbortSignal) => Promise<void> | void = () => {},
  { engine = world.engine(), ...options }: Some = {},
): Manager {
  const manager = runManager({
    engine,
    controllers: [
      {
        informer: engine.informer(CONFIG_MAPS),
        name: 'copies',
        reconcile: (key, { signal }) => reconcile(key, signal),
      },
    ],
    health: HEALTH,
    onError: (error) => void errors.push(error),
    ...options,
  });
  managers.push(manager);
  return manager;
}

async function look(manager: Manager, path: string): Promise<{ status: number; text: string }> {
  await expect.poll(() => manager.healthUrl).toBeDefined();
  return ask(`${manager.healthUrl}${path}`);
}

const stuckUntilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('runManager', () => {
  it('reconciles when every cache has synced, and ends with 0 when it is stopped', async () => {
    await world.configMap('a');
    const reconciled: string[] = [];
    const manager = manage((key) => void reconciled.push(key));
    expect(manager.state).toBe('starting');
    await manager.synced;
    expect(manager.state).toBe('running');
    await expect.poll(() => reconciled).toContain('default/a');
    const { healthUrl } = manager;
    expect(await manager.stop()).toBe(0);
    expect([manager.state, manager.failure, manager.healthUrl, errors]).toEqual([
      'stopped',
      undefined,
      undefined,
      [],
    ]);
    await expect(ask(`${healthUrl}/healthz`)).rejects.toThrow('ECONNREFUSED');
  });

  it('infers the type of the objects of each controller', () => {
    const engine = world.engine();
    const pods = engine.informer<Pod>(PODS);
    managers.push(
      runManager({
        engine,
        controllers: [
          {
            informer: engine.informer(CONFIG_MAPS),
            watches: [{ informer: pods, keys: ({ namespace }) => [namespace] }],
            reconcile: (key) => void expectTypeOf(key).toBeString(),
          },
          {
            informer: pods,
            reconcile: (_, { object }) => void expectTypeOf(object).toEqualTypeOf<Pod | undefined>(),
          },
        ],
      }),
    );
  });

  it('reconciles what is queued before it ends, and nothing that changes after the stop', async () => {
    for (const name of ['a', 'b', 'c']) await world.configMap(name);
    const started: string[] = [];
    const releases: (() => void)[] = [];
    const manager = manage((key) => {
      started.push(key);
      return new Promise((resolve) => void releases.push(resolve));
    });
    await expect.poll(() => started.length).toBe(1);
    await expect.poll(() => manager.controllers[0]?.queue.length).toBeGreaterThanOrEqual(2);
    const ended = manager.stop();
    expect((await look(manager, '/readyz')).text).toContain('[-]manager failed: stopping');
    expect((await look(manager, '/healthz')).status).toBe(200);
    await world.configMap('late');
    await expect
      .poll(() => {
        for (const release of releases.splice(0)) release();
        return manager.state;
      })
      .toBe('stopped');
    expect(await ended).toBe(0);
    expect(started).toEqual(expect.arrayContaining(['default/a', 'default/b', 'default/c']));
    expect(started).not.toContain('default/late');
  });

  it('aborts reconciles that do not end in time, and ends with 0 if they obey', async () => {
    await world.configMap('a');
    let isReconciling = false;
    const manager = manage(
      (_, signal) => {
        isReconciling = true;
        return stuckUntilAborted(signal);
      },
      { gracefulShutdownTimeoutMs: 100 },
    );
    await expect.poll(() => isReconciling).toBe(true);
    expect(await manager.stop()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('reconciles nothing before every cache has synced, also those of other controllers and of none', async () => {
    await world.configMap('a');
    const fault = await world.server.faults.add({
      match: { path: '/api/v1/pods' },
      fault: { type: 'status', code: 503 },
    });
    const engine = world.engine();
    const configMaps = engine.informer(CONFIG_MAPS);
    engine.informer(PODS).start();
    const reconciled: string[] = [];
    const manager = runManager({
      engine,
      controllers: [{ informer: configMaps, reconcile: (key) => void reconciled.push(key) }],
    });
    managers.push(manager);
    await expect.poll(() => manager.controllers[0]?.queue.length).toBe(1);
    expect([manager.state, reconciled]).toEqual(['starting', []]);
    await world.server.faults.remove(fault);
    await expect.poll(() => reconciled, { timeout: 20_000 }).toEqual(['default/a']);
    expect(manager.state).toBe('running');
  });

  it('ends with 1 if a reconcile never returns', async () => {
    await world.configMap('a');
    let isReconciling = false;
    const manager = manage(
      () => {
        isReconciling = true;
        return new Promise(() => {});
      },
      { gracefulShutdownTimeoutMs: 100 },
    );
    await expect.poll(() => isReconciling).toBe(true);
    expect(await manager.stop()).toBe(1);
    expect(manager.failure).toMatchObject({ code: 'KUBEFLECT_STOP_TIMEOUT' });
    expect(manager.failure?.message).toContain('copies');
  });

  it('stops when its signal is aborted, also before the caches have synced', async () => {
    await world.server.faults.add({ match: { path: '/api/v1/configmaps' }, fault: { type: 'stall' } });
    const abort = new AbortController();
    const manager = manage(() => {}, { signal: abort.signal });
    await expect.poll(() => manager.controllers.length).toBe(1);
    abort.abort();
    expect(await manager.ended).toBe(0);
    await expect(manager.synced).rejects.toMatchObject({ code: 'KUBEFLECT_INFORMER_STOPPED' });
  });

  it('fails with the name of the informer and the status if a cache does not sync in time', async () => {
    await world.server.faults.add({
      match: { path: '/api/v1/configmaps' },
      fault: { type: 'status', code: 403, reason: 'Forbidden' },
    });
    const engine = world.engine();
    await engine.start();
    const manager = manage(() => {}, { engine, cacheSyncTimeoutMs: 2_000 });
    expect(await manager.ended).toBe(1);
    expect(manager.failure).toMatchObject({ code: 'KUBEFLECT_SYNC_TIMEOUT' });
    expect(manager.failure?.message).toMatch(/informer configmaps: not synced yet, .*403 Forbidden/);
    expect(errors).toContain(manager.failure);
    await expect(manager.synced).rejects.toBe(manager.failure);
  });

  it('fails before it has requested anything if the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const manager = manage(() => {}, { health: { port } });
    expect(await manager.ended).toBe(1);
    expect(manager.failure).toMatchObject({ code: 'KUBEFLECT_LISTEN_FAILED', cause: { code: 'EADDRINUSE' } });
    expect(manager.failure?.message).toContain(`port ${port}: the port is in use`);
    expect(manager.controllers).toEqual([]);
    other.close();
  });

  it.each([
    [{ controllers: [] }, 'controllers must be an array'],
    [{ engine: {} }, 'engine must be an Engine'],
    [{ health: { port: 70_000 } }, 'port must be an integer'],
    [{ health: { path: '/x' } }, 'unknown option path'],
    [{ controllers: [{ informer: {} }] }, 'reconcile must be'],
    [{ leader: true }, 'unknown option leader'],
    [{ signals: ['SIGKILL'] }, 'signals must be'],
    [{ signals: ['SIGTERMINATE'] }, 'signals must be'],
  ])('throws for invalid options: %j', (wrong, message) => {
    const engine = world.engine();
    const controllers = [{ informer: engine.informer(CONFIG_MAPS), reconcile: () => {} }];
    const options = { engine, controllers, ...wrong } as unknown as ManagerOptions;
    expect(() => runManager(options)).toThrow(
      expect.objectContaining({
        code: 'KUBEFLECT_OPTION_INVALID',
        message: expect.stringContaining(message),
      }),
    );
  });
});

describe('SIGTERM', () => {
  async function start(reconcileMs: number) {
    await world.configMap('a');
    const child = spawn(process.execPath, [CLIENT, world.server.url, String(reconcileMs)]);
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (printed += String(data)));
    await expect.poll(() => printed, { timeout: 20_000 }).toContain('reconciling default/a');
    return { child, printed: () => printed };
  }

  it('lets a running reconcile end, and the process exits with 0', async () => {
    const { child, printed } = await start(300);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(printed()).toContain('reconciled default/a');
  });

  it('ends the process at once if it comes a second time', async () => {
    const { child } = await start(3_600_000);
    child.kill('SIGTERM');
    // Signals are not queued: each is sent until it has had an effect.
    const timer = setInterval(() => child.kill('SIGTERM'), 50);
    expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
    clearInterval(timer);
  });
});

describe('the endpoints of a manager', () => {
  it('tell that it lives, that it is ready, and its metrics', async () => {
    const manager = manage();
    await manager.synced;
    expect(await look(manager, '/healthz')).toMatchObject({ status: 200, text: 'ok\n' });
    await expect.poll(() => look(manager, '/readyz')).toMatchObject({ status: 200, text: 'ok\n' });
    const verbose = (await look(manager, '/readyz?verbose')).text;
    expect(verbose).toBe(
      '[+]manager ok\n[+]controller copies ok\n[+]informer configmaps ok\nreadyz check passed\n',
    );
    const metrics = await ask(`${manager.healthUrl}/metrics`);
    expect(metrics.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(new ScrapedMetrics(metrics.text).names).toEqual(expect.arrayContaining(UPSTREAM_METRICS));
    expect(new URL(manager.healthUrl ?? '').hostname).toBe('127.0.0.1');
  });

  it('name the informer that has not synced, as text and as JSON', async () => {
    await world.server.faults.add({
      match: { path: '/api/v1/configmaps' },
      fault: { type: 'status', code: 403, reason: 'Forbidden' },
    });
    const manager = manage();
    await expect
      .poll(() => look(manager, '/readyz'))
      .toMatchObject({
        status: 503,
        text: expect.stringMatching(/^\[-\]informer configmaps failed: not synced yet.*403 Forbidden/m),
      });
    const answer = await ask(`${manager.healthUrl}/readyz`, { headers: { accept: 'application/json' } });
    expect(JSON.parse(answer.text)).toMatchObject({
      ok: false,
      checks: expect.arrayContaining([
        expect.objectContaining({ name: 'informer configmaps', ok: false }),
        expect.objectContaining({ name: 'manager', problem: 'starting' }),
      ]),
    });
    expect((await look(manager, '/healthz')).status).toBe(200);
  });

  it('are not ready while a cache is older than it may be, and ready again afterwards', async () => {
    const manager = manage(() => {}, { health: { ...HEALTH, maxLagMs: 300 } });
    await manager.synced;
    await expect.poll(async () => (await look(manager, '/readyz')).status).toBe(200);
    await world.server.faults.add({ fault: { type: 'status', code: 503 } });
    await world.server.closeWatches();
    await expect
      .poll(() => look(manager, '/readyz'))
      .toMatchObject({
        status: 503,
        text: expect.stringMatching(
          /informer configmaps failed: the cache is [\d.]+ s old, no watch is open/,
        ),
      });
    expect((await look(manager, '/healthz')).status).toBe(200);
    await world.server.faults.clear();
    await expect.poll(async () => (await look(manager, '/readyz')).status, { timeout: 20_000 }).toBe(200);
  });

  it('take no methods but GET and HEAD, no bodies, no long headers and no other paths', async () => {
    const manager = manage();
    await manager.synced;
    const send = (path: string, options: Parameters<typeof ask>[1]) =>
      ask(`${manager.healthUrl}${path}`, options);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const { status, headers } = await send('/metrics', { method });
      expect([method, status, headers['allow']]).toEqual([method, 405, 'GET, HEAD']);
    }
    const headers = { 'content-length': '4' };
    expect(await send('/metrics', { body: 'data', headers })).toMatchObject({ status: 413 });
    expect((await send('/readyz', { headers: { 'x-long': 'x'.repeat(20_000) } })).status).toBe(431);
    expect((await send('/', {})).status).toBe(404);
    expect((await send('/debug/pprof', {})).status).toBe(404);
    expect(await send('/metrics', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  it('reveal nothing of the objects', async () => {
    await world.configMap('hunter2-name', { password: 'hunter2-value' });
    const manager = manage(() => {
      throw new Error('hunter2-error');
    });
    await manager.synced;
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    for (const path of ['/healthz?verbose', '/readyz?verbose', '/metrics']) {
      expect((await look(manager, path)).text).not.toContain('hunter2');
    }
  });

  it('serve the metrics of a registry of the program in place of ours', async () => {
    const own = new Metrics();
    own.gauge('own', 'A gauge.').labels({}).set(1);
    const manager = manage(() => {}, { health: { ...HEALTH, metrics: async () => own.text() } });
    await manager.synced;
    expect((await look(manager, '/metrics')).text).toContain('own 1');
    const broken = manage(() => {}, {
      health: { ...HEALTH, metrics: () => Promise.reject(new Error('hunter2')) },
    });
    await broken.synced;
    expect(await look(broken, '/metrics')).toMatchObject({
      status: 500,
      text: expect.not.stringContaining('hunter2'),
    });
  });
});
