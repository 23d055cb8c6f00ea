import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Entry,
  type HandlerError,
  type KubernetesObject,
  Metrics,
  type ObjectMeta,
  runController,
  type SharedInformer,
} from 'kubeflect';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';
import { InformerHarness } from '../support/informer/informer-harness.js';
import { entry } from '../support/objects/entries.js';

interface Annotated extends KubernetesObject {
  metadata?: ObjectMeta & { annotations?: Readonly<Record<string, string>> };
}

let world: EngineFixture;
let number = 0;
/** Each test has objects of its own. */
let label: string;

beforeAll(async () => {
  world = await EngineFixture.start();
});
afterAll(() => world.close());
afterEach(() => world.closeEngines());

function informer(): SharedInformer {
  label = `test-${++number}`;
  return world.engine().informer({ ...CONFIG_MAPS, labelSelector: `test=${label}` });
}

async function create(name: string): Promise<void> {
  const metadata = { name: `${label}-${name}`, namespace: 'default', labels: { test: label } };
  await world.server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
}

const key = (name: string): string => `default/${label}-${name}`;

describe('runController', () => {
  it('reconciles every object of the first list, then every change and deletion', async () => {
    const configMaps = informer();
    await create('a');
    await create('b');
    const calls: string[] = [];
    await using controller = runController({
      informer: configMaps,
      reconcile: (reconciled) => {
        expect(configMaps.hasSynced).toBe(true);
        calls.push(`${reconciled} ${configMaps.lister.get(reconciled) === undefined ? 'gone' : 'there'}`);
      },
    });
    await controller.synced;
    await expect.poll(() => [...calls].sort()).toEqual([`${key('a')} there`, `${key('b')} there`]);
    calls.length = 0;
    await world.patchConfigMap(`${label}-a`, { colour: 'blue' });
    await expect.poll(() => calls).toEqual([`${key('a')} there`]);
    await world.deleteConfigMap(`${label}-b`);
    await expect.poll(() => calls).toEqual([`${key('a')} there`, `${key('b')} gone`]);
  });

  it('reconciles a change in the turn of the event loop in which its handler is notified', async () => {
    const h = new InformerHarness();
    const calls: string[] = [];
    await using _ = runController({
      informer: h.informer,
      clock: h.clock,
      concurrency: 2,
      reconcile: (reconciled) =>
        void calls.push(`${reconciled}@${h.informer.lister.entry(reconciled)?.resourceVersion}`),
    });
    await h.start([[entry('a', 1), entry('b', 2)], '2']);
    expect(calls.splice(0)).toEqual(['default/a@1', 'default/b@2']);
    const { turns } = h.clock;
    for (let version = 3; version < 100; version++) {
      h.store.update(entry('a', version));
      await h.clock.flush();
      expect(calls.splice(0)).toEqual([`default/a@${version}`]);
    }
    expect(h.clock.turns).toBe(turns);
  });

  it('retries failed reconciles, reports them, and counts results', async () => {
    const configMaps = informer();
    await create('a');
    const errors: HandlerError[] = [];
    const retries: number[] = [];
    const metrics = new Metrics();
    await using _ = runController({
      informer: configMaps,
      name: 'copies',
      metrics,
      onError: (error) => void errors.push(error as HandlerError),
      reconcile: async (_key, context) => {
        retries.push(context.retries);
        if (retries.length < 3) throw new Error('not yet');
        return retries.length === 3 ? { requeueAfterMs: 1 } : undefined;
      },
    });
    await expect.poll(() => retries).toEqual([0, 1, 2, 0]);
    expect(errors.map(({ code, key: failed, handlerName }) => [code, failed, handlerName])).toEqual(
      Array.from({ length: 2 }, () => ['KUBEFLECT_RECONCILE_FAILED', key('a'), 'copies']),
    );
    expect(errors[0]?.cause).toEqual(new Error('not yet'));
    await expect
      .poll(() => metrics.text())
      .toContain('kubeflect_reconciles_total{controller="copies",result="success"} 1');
    expect(metrics.text()).toContain('kubeflect_reconciles_total{controller="copies",result="error"} 2');
    expect(metrics.text()).toContain('kubeflect_reconciles_total{controller="copies",result="requeue"} 1');
    expect(metrics.text()).toContain('workqueue_retries_total{name="copies"} 3');
  });

  it('reconciles up to `concurrency` keys at a time, and no key concurrently', async () => {
    const configMaps = informer();
    for (let i = 0; i < 12; i++) await create(`m-${i}`);
    const running = new Set<string>();
    const done: string[] = [];
    let most = 0;
    await using _ = runController({
      informer: configMaps,
      concurrency: 3,
      reconcile: async (reconciled) => {
        expect(running.has(reconciled)).toBe(false);
        running.add(reconciled);
        most = Math.max(most, running.size);
        // Long enough for reconciles of other keys to start.
        await sleep(5);
        running.delete(reconciled);
        done.push(reconciled);
      },
    });
    await expect.poll(() => new Set(done).size).toBe(12);
    expect(most).toBe(3);
  });

  it('maps changes of other collections to keys, of the state before and after', async () => {
    const configMaps = informer();
    await create('owner');
    const pods = world.engine().informer<Annotated>({ apiVersion: 'v1', kind: 'Pod', plural: 'pods' });
    const concerned = ({ object }: Entry<Annotated>): string[] =>
      Object.values(object.metadata?.annotations ?? {});
    const calls: string[] = [];
    await using controller = runController({
      informer: configMaps,
      watches: [{ informer: pods, keys: concerned }],
      reconcile: (reconciled) => void calls.push(reconciled),
    });
    await controller.synced;
    await expect.poll(() => calls).toEqual([key('owner')]);
    const metadata = { name: label, namespace: 'default', annotations: { for: 'one' } };
    await world.server.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    await expect.poll(() => calls).toContain('one');
    calls.length = 0;
    await world.server.patch(
      { apiVersion: 'v1', kind: 'Pod', name: label, namespace: 'default' },
      { metadata: { annotations: { for: 'two' } } },
    );
    await expect.poll(() => [...calls].sort()).toEqual(['one', 'two']);
  });

  it('yields to the event loop when the reconciler never awaits', async () => {
    const configMaps = informer();
    await create('a');
    let calls = 0;
    await using controller = runController({
      informer: configMaps,
      reconcile: (reconciled) => {
        calls++;
        controller.queue.add(reconciled);
      },
    });
    await controller.synced;
    await expect.poll(() => calls).toBeGreaterThan(10);
    const before = calls;
    await expect.poll(() => calls).toBeGreaterThan(before);
  });
});

describe('Controller.stop', () => {
  it('aborts running reconciles and drops queued keys', async () => {
    const configMaps = informer();
    for (const name of ['a', 'b', 'c']) await create(name);
    const calls: string[] = [];
    const errors: unknown[] = [];
    const controller = runController({
      informer: configMaps,
      onError: (error) => void errors.push(error),
      reconcile: (reconciled, { signal }) =>
        new Promise<void>((_, reject) => {
          calls.push(reconciled);
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    await expect.poll(() => calls.length).toBe(1);
    await controller.stop();
    await controller.stop();
    await world.patchConfigMap(`${label}-a`, { colour: 'blue' });
    expect(calls.length).toBe(1);
    expect(errors).toEqual([]);
    expect(controller.isStopped).toBe(true);
    expect(configMaps.isStopped).toBe(false);
  });

  it('with drain reconciles queued keys first', async () => {
    const configMaps = informer();
    for (const name of ['a', 'b', 'c']) await create(name);
    const calls: string[] = [];
    const controller = runController({
      informer: configMaps,
      reconcile: async (reconciled, { signal }) => {
        // Long enough for the stop to begin during the first reconcile.
        await sleep(5);
        expect(signal.aborted).toBe(false);
        calls.push(reconciled);
      },
    });
    await controller.synced;
    await controller.stop({ drain: true });
    expect(calls.length).toBe(3);
  });

  it('reports a reconcile that does not return', async () => {
    const configMaps = informer();
    await create('a');
    const codes: string[] = [];
    let isRunning = false;
    const controller = runController({
      informer: configMaps,
      onError: ({ code }) => void codes.push(code),
      reconcile: () =>
        new Promise<void>(() => {
          isRunning = true;
        }),
    });
    await expect.poll(() => isRunning).toBe(true);
    await controller.stop({ drain: true, timeoutMs: 20 });
    expect(codes).toEqual(['KUBEFLECT_STOP_TIMEOUT']);
  });

  it('aborts reconciles when the time to drain is over, and reports nothing if they end then', async () => {
    const configMaps = informer();
    await create('a');
    const codes: string[] = [];
    let isRunning = false;
    const controller = runController({
      informer: configMaps,
      onError: ({ code }) => void codes.push(code),
      reconcile: (_, { signal }) =>
        new Promise<void>((resolve) => {
          isRunning = true;
          signal.addEventListener('abort', () => setImmediate(resolve));
        }),
    });
    await expect.poll(() => isRunning).toBe(true);
    await controller.stop({ drain: true, timeoutMs: 50 });
    expect([controller.queue.processing, codes]).toEqual([0, []]);
  });

  it('is called when the signal aborts, or was aborted before', async () => {
    const configMaps = informer();
    await create('a');
    const abort = new AbortController();
    const reconcile = (): void => {};
    const controller = runController({ informer: configMaps, reconcile, signal: abort.signal });
    await controller.synced;
    abort.abort();
    expect(controller.isStopped).toBe(true);
    const late = runController({ informer: configMaps, reconcile, signal: abort.signal });
    expect(late.isStopped).toBe(true);
    await expect(late.synced).rejects.toMatchObject({ code: 'KUBEFLECT_INFORMER_STOPPED' });
    await Promise.all([controller.stop(), late.stop()]);
  });

  it('is called when an informer is stopped before it has synced', async () => {
    const configMaps = informer();
    const controller = runController({ informer: configMaps, reconcile: () => {} });
    await configMaps.stop();
    await expect(controller.synced).rejects.toMatchObject({ code: 'KUBEFLECT_INFORMER_STOPPED' });
    await expect.poll(() => controller.isStopped).toBe(true);
  });
});

it('runController rejects options without a reconciler', () => {
  expect(() => runController({ informer: informer() } as never)).toThrow(/reconcile must be a function/);
});
