import { setTimeout as sleep } from 'node:timers/promises';
import * as k8s from '@kubernetes/client-node';
import { Engine, type KubeflectError } from 'kubeflect';
import { type Informer, ListWatch, makeInformer, type ObjectCache } from 'kubeflect/client-node';
import { type ApiServerHandle, type RequestRecord, startApiServer } from 'kubeflect/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

type ConfigMap = k8s.V1ConfigMap;
type AnyInformer = Informer<ConfigMap> & ObjectCache<ConfigMap>;

let server: ApiServerHandle;
let kubeConfig: k8s.KubeConfig;
let api: k8s.CoreV1Api;
/** A new one for each test. */
let namespace: string;
let namespaces = 0;
const informers: AnyInformer[] = [];

beforeAll(async () => {
  server = await startApiServer();
  kubeConfig = new k8s.KubeConfig();
  kubeConfig.loadFromString(server.kubeConfig);
  api = kubeConfig.makeApiClient(k8s.CoreV1Api);
});
beforeEach(async () => {
  namespace = `ns-${++namespaces}`;
  await server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});
afterEach(async () => {
  await Promise.all(informers.splice(0).map((informer) => informer.stop()));
  await server.faults.clear();
  vi.unstubAllEnvs();
});
afterAll(() => server.close());

const path = (): string => `/api/v1/namespaces/${namespace}/configmaps`;
const listFn = () => api.listNamespacedConfigMap({ namespace });
const target = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });

function make(...more: [labelSelector?: string, options?: Parameters<typeof makeInformer>[4]]): AnyInformer {
  const informer = makeInformer<ConfigMap>(kubeConfig, path(), listFn, ...more);
  informers.push(informer);
  return informer;
}

async function create(name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) {
  await server.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels },
    data,
  });
}

const change = (name: string, data: Record<string, string>) => server.patch(target(name), { data });

/** Everything the informer says, as lines. */
function record(informer: AnyInformer): string[] {
  const lines: string[] = [];
  informer.on(
    'add',
    ({ metadata, data }) => void lines.push(`add ${metadata?.name} ${JSON.stringify(data ?? {})}`),
  );
  informer.on('update', ({ metadata, data }, old) => {
    lines.push(`update ${metadata?.name} ${JSON.stringify(old.data ?? {})} -> ${JSON.stringify(data ?? {})}`);
  });
  informer.on('delete', ({ metadata }, { finalStateUnknown }) => {
    lines.push(`delete ${metadata?.name}${finalStateUnknown ? ' unseen' : ''}`);
  });
  informer.on('error', ({ code }: KubeflectError) => void lines.push(`error ${code}`));
  return lines;
}

const requests = async (verb: string): Promise<RequestRecord[]> =>
  (await server.requests()).filter((request) => request.verb === verb && request.path === path());

describe('ListWatch.start', () => {
  it('resolves when the first list is cached and delivered, and does nothing while the informer is running', async () => {
    await create('a', { n: '1' });
    const informer = make();
    const lines = record(informer);
    await informer.start();
    expect(lines).toEqual(['add a {"n":"1"}']);
    expect(informer.get('a', namespace)?.data).toEqual({ n: '1' });
    await Promise.all([informer.start(), informer.start()]);
    expect(await requests('list')).toHaveLength(1);
    await expect.poll(async () => (await requests('watch')).length).toBe(1);
  });

  it('resolves when the first attempt has failed, and keeps retrying', async () => {
    await create('a');
    await server.faults.add({ match: { verb: 'list' }, count: 1, fault: { type: 'status', code: 403 } });
    const informer = make();
    const lines = record(informer);
    await informer.start();
    expect(lines).toEqual(['error KUBEFLECT_LIST_FAILED']);
    expect(informer.list()).toEqual([]);
    await expect.poll(() => lines, { timeout: 10_000 }).toContain('add a {}');
  });

  it('rejects for a KubeConfig without a cluster, and can be called again', async () => {
    const empty = new k8s.KubeConfig();
    empty.loadFromOptions({ clusters: [], users: [], contexts: [], currentContext: '' });
    const informer = makeInformer(empty, path(), listFn);
    for (let i = 0; i < 2; i++) {
      await expect(informer.start()).rejects.toMatchObject({ code: 'KUBEFLECT_OPTION_INVALID' });
    }
  });

  it('is called by the constructor, unless autoStart is false', async () => {
    await create('a');
    const watch = new k8s.Watch(kubeConfig);
    const idle = new ListWatch<ConfigMap>(path(), watch, listFn, false);
    const started = new ListWatch<ConfigMap>(path(), watch, listFn);
    informers.push(idle, started);
    await expect.poll(() => started.list().length).toBe(1);
    expect(idle.list()).toEqual([]);
    expect(started.latestResourceVersion()).toMatch(/^[1-9]/);
  });
});

describe('callbacks of a ListWatch', () => {
  it('receive adds, updates with the old object, and deletions', async () => {
    const informer = make();
    const lines = record(informer);
    await informer.start();
    await create('a', { n: '1' });
    await change('a', { n: '2' });
    await server.delete(target('a'));
    await expect
      .poll(() => lines)
      .toEqual(['add a {"n":"1"}', 'update a {"n":"1"} -> {"n":"2"}', 'delete a']);
  });

  it('for change receive all three, until they are removed', async () => {
    const informer = make();
    const names: (string | undefined)[] = [];
    const note = ({ metadata }: ConfigMap): void => void names.push(metadata?.name);
    informer.on('change', note);
    await informer.start();
    await create('a');
    await change('a', { n: '2' });
    await server.delete(target('a'));
    await expect.poll(() => names).toEqual(['a', 'a', 'a']);
    informer.off('change', note);
    await create('b');
    await expect.poll(() => informer.get('b', namespace)).toBeDefined();
    expect(names).toHaveLength(3);
    expect(() => informer.on('added' as 'add', note)).toThrow(/verb must be one of/);
  });

  it('that are added later receive only later changes', async () => {
    await create('a');
    const informer = make();
    await informer.start();
    const lines = record(informer);
    await create('b');
    await expect.poll(() => lines).toEqual(['add b {}']);
  });

  it('that throw or reject are reported, and the others are still called', async () => {
    const informer = make();
    const errors: KubeflectError[] = [];
    informer.on('add', () => {
      throw new Error('thrown');
    });
    informer.on('add', (() => Promise.reject(new Error('rejected'))) as () => void);
    const lines = record(informer);
    informer.on('error', (error: KubeflectError) => void errors.push(error));
    await informer.start();
    await create('a');
    await expect.poll(() => lines).toContain('add a {}');
    await expect
      .poll(() => errors.map(({ code, cause }) => `${code} ${(cause as Error).message}`).sort())
      .toEqual(['KUBEFLECT_HANDLER_FAILED rejected', 'KUBEFLECT_HANDLER_FAILED thrown']);
  });

  it('are not awaited: one may wait for something that a later call brings', async () => {
    const informer = make();
    let finish = (): void => {};
    const isSecondSeen = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const done: string[] = [];
    const onAdd = async ({ metadata }: ConfigMap): Promise<void> => {
      if (metadata?.name === 'b') finish();
      await isSecondSeen;
      done.push(metadata?.name ?? '');
    };
    informer.on('add', onAdd as (object: ConfigMap) => void);
    await informer.start();
    await create('a');
    await create('b');
    await expect.poll(() => done.sort()).toEqual(['a', 'b']);
  });

  it('for connect are called each time the server has accepted a watch', async () => {
    const informer = make();
    const open: number[] = [];
    informer.on('connect', () => {
      open.push(1);
    });
    await server.faults.add({ match: { verb: 'watch' }, count: 1, fault: { type: 'status', code: 500 } });
    await informer.start();
    await expect.poll(() => open.length, { timeout: 10_000 }).toBe(1);
    expect((await requests('watch')).map(({ status }) => status)).toEqual([500, 200]);
    await server.closeWatches();
    await expect.poll(() => open.length, { timeout: 10_000 }).toBe(2);
  });

  it('for errors that fail or are missing cause a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const silent = make();
    const failing = make();
    failing.on('error', () => {
      throw new Error('even the error callback');
    });
    for (const informer of [silent, failing]) {
      informer.on('add', () => {
        throw new Error('thrown');
      });
    }
    await Promise.all([silent.start(), failing.start()]);
    await create('a');
    await expect
      .poll(() => warnings.map(({ message }) => message).sort())
      .toEqual([
        `${path()}: a callback for add failed on ${namespace}/a`,
        `${path()}: a callback for error failed`,
      ]);
    process.off('warning', onWarning);
  });
});

describe('ListWatch.stop', () => {
  it('emits no error, ends the watch, and keeps the cache readable', async () => {
    await create('a');
    const informer = make();
    const lines = record(informer);
    await informer.start();
    await informer.stop();
    await informer.stop();
    await create('b');
    expect(informer.list().map(({ metadata }) => metadata?.name)).toEqual(['a']);
    expect(lines).toEqual(['add a {}']);
    await expect.poll(async () => (await requests('watch')).every(({ endedMs }) => endedMs)).toBe(true);
  });

  it('is a pause for the callbacks: the next start delivers what has changed meanwhile', async () => {
    for (const name of ['kept', 'changed', 'gone']) await create(name, { n: '1' });
    const informer = make();
    await informer.start();
    const lines = record(informer);
    await informer.stop();
    await change('changed', { n: '2' });
    await server.delete(target('gone'));
    await create('new', { n: '1' });
    const starting = informer.start();
    expect(informer.list()).toHaveLength(3);
    await starting;
    expect(lines.sort()).toEqual([
      'add new {"n":"1"}',
      'delete gone unseen',
      'update changed {"n":"1"} -> {"n":"2"}',
    ]);
    expect(informer.list().map(({ metadata }) => metadata?.name)).toEqual(['changed', 'kept', 'new']);
  });

  it('before everything was delivered loses nothing: the next start delivers the rest', async () => {
    for (let i = 0; i < 50; i++) await create(`a-${i}`);
    const informer = make();
    const told: string[] = [];
    informer.on('add', ({ metadata }) => {
      told.push(metadata?.name ?? '');
      if (told.length === 10) void informer.stop();
    });
    await informer.start();
    expect(told).toHaveLength(10);
    await informer.start();
    expect(told).toHaveLength(50);
    expect(new Set(told).size).toBe(50);
  });

  it('and start in quick succession have one watch at a time', async () => {
    const informer = make();
    for (let i = 0; i < 10; i++) {
      const starting = informer.start();
      if (i % 2 === 0) await starting;
      if (i % 3 === 0) await informer.stop();
      else void informer.stop();
    }
    await informer.start();
    await create('a');
    await expect.poll(() => informer.list()).toHaveLength(1);
    const watches = await requests('watch');
    expect(watches.filter(({ endedMs }) => endedMs === undefined)).toHaveLength(1);
    for (const [i, { startedMs }] of watches.entries()) {
      expect(startedMs).toBeGreaterThanOrEqual(watches[i - 1]?.endedMs ?? 0);
    }
  });

  it('is not undone by a restart that an earlier error triggered', async () => {
    const informer = make();
    const restarts: Promise<void>[] = [];
    informer.on('error', () => {
      // As client-node's example does, with a shorter delay.
      restarts.push(sleep(100).then(() => informer.start()));
    });
    informer.on('add', () => {
      throw new Error('thrown');
    });
    await informer.start();
    await create('a');
    await expect.poll(() => restarts.length).toBe(1);
    await informer.stop();
    const asked = (await requests('list')).length;
    await Promise.all(restarts);
    expect(await requests('list')).toHaveLength(asked);
    // Somebody else's wish is heard.
    await informer.start();
    expect(await requests('list')).toHaveLength(asked + 1);
  });

  it('in an error callback can be followed by a start in the same callback', async () => {
    const informer = make();
    let restarted = (): void => {};
    const isRestarted = new Promise<void>((resolve) => {
      restarted = resolve;
    });
    const onError = async (): Promise<void> => {
      await informer.stop();
      // A stopped informer stays stopped for a while, as in a user's program.
      await sleep(50);
      await informer.start();
      restarted();
    };
    informer.on('error', () => void onError());
    informer.on('delete', () => {
      throw new Error('thrown');
    });
    await create('a');
    await informer.start();
    await server.delete(target('a'));
    await isRestarted;
    await create('b');
    await expect.poll(() => informer.get('b', namespace)).toBeDefined();
  });

  it('leaves no thread behind, and informers of one KubeConfig share threads', async () => {
    const close = vi.spyOn(Engine.prototype, 'close');
    const [a, b] = [make(), make()];
    await Promise.all([a.start(), b.start()]);
    await a.stop();
    expect(close).not.toHaveBeenCalled();
    await b.stop();
    expect(close).toHaveBeenCalledTimes(1);
    close.mockRestore();
  });
});

describe('objects of a ListWatch', () => {
  it('are plain, in the wire format, and the same from list and watch', async () => {
    await create('listed');
    const informer = make();
    await informer.start();
    await create('watched');
    await expect.poll(() => informer.get('watched', namespace)).toBeDefined();
    for (const name of ['listed', 'watched']) {
      const object = informer.get(name, namespace);
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
      expect(object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
      expect(object?.metadata?.creationTimestamp).toMatch(/^\d{4}-.*Z$/);
      expect(object?.metadata?.managedFields).toBeUndefined();
    }
  });

  it("have dates where their types say so, with dates: 'date'", async () => {
    await create('a', { creationTimestamp: '2020-01-01T00:00:00Z' });
    const informer = make(undefined, { dates: 'date', drop: [] });
    const seen: ConfigMap[] = [];
    informer.on('add', (object) => void seen.push(object));
    await informer.start();
    for (const object of [...seen, ...informer.list(), ...informer.list(namespace)]) {
      expect(object.metadata?.creationTimestamp).toBeInstanceOf(Date);
      expect(object.metadata?.managedFields?.[0]?.time).toBeInstanceOf(Date);
      expect(object.data).toEqual({ creationTimestamp: '2020-01-01T00:00:00Z' });
    }
    expect(seen).toHaveLength(1);
  });

  it('of every namespace are listed, by namespace or by iteration', async () => {
    await create('a');
    const informer = new ListWatch<ConfigMap>(
      '/api/v1/configmaps',
      new k8s.Watch(kubeConfig),
      () => api.listConfigMapForAllNamespaces(),
      false,
    );
    informers.push(informer);
    await informer.start();
    expect(informer.list(namespace)).toHaveLength(1);
    expect(informer.list('nowhere')).toEqual([]);
    expect([...informer].length).toBe(informer.list().length);
    expect(informer.get('a')).toBeUndefined();
  });

  it('of a custom resource need no kind', async () => {
    const group = `${namespace}.example.com`;
    await server.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    });
    const custom = kubeConfig.makeApiClient(k8s.CustomObjectsApi);
    const widgets = { group, version: 'v1', namespace, plural: 'widgets' };
    const widget = (name: string) => ({ apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name } });
    await vi.waitFor(() => custom.createNamespacedCustomObject({ ...widgets, body: widget('a') }), 10_000);
    const informer = makeInformer(
      kubeConfig,
      `/apis/${group}/v1/namespaces/${namespace}/widgets`,
      () => custom.listNamespacedCustomObject(widgets) as Promise<k8s.KubernetesListObject<ConfigMap>>,
    );
    informers.push(informer);
    await informer.start();
    await custom.createNamespacedCustomObject({ ...widgets, body: widget('b') });
    await expect.poll(() => informer.list().map(({ kind }) => kind)).toEqual(['Widget', 'Widget']);
  });
});

describe('selectors of a ListWatch', () => {
  beforeEach(async () => {
    await create('red', {}, { color: 'red' });
    await create('blue', {}, { color: 'blue' });
  });
  const names = (informer: AnyInformer) => informer.list().map(({ metadata }) => metadata?.name);

  it('by label apply to list and watch', async () => {
    const informer = make('color=red');
    await informer.start();
    expect(names(informer)).toEqual(['red']);
    await server.patch(target('blue'), { metadata: { labels: { color: 'red' } } });
    await expect.poll(() => names(informer)).toEqual(['red', 'blue']);
  });

  it('by field apply from the argument or from the path', async () => {
    const byField = make(undefined, { fieldSelector: 'metadata.name=blue' });
    const byClass = new ListWatch<ConfigMap>(
      path(),
      new k8s.Watch(kubeConfig),
      listFn,
      false,
      undefined,
      'metadata.name=blue',
    );
    const byPath = makeInformer<ConfigMap>(kubeConfig, `${path()}?labelSelector=color%3Dblue`, listFn);
    informers.push(byClass, byPath);
    for (const informer of [byField, byClass, byPath]) {
      await informer.start();
      expect(names(informer)).toEqual(['blue']);
    }
  });

  it('of a list function alone do not apply, which is reported in development', async () => {
    vi.stubEnv('NODE_ENV', 'development');
    const narrow = () => api.listNamespacedConfigMap({ namespace, labelSelector: 'color=red' });
    const informer = makeInformer<ConfigMap>(kubeConfig, path(), narrow);
    const honest = make();
    informers.push(informer);
    const lines = record(informer);
    const honestLines = record(honest);
    await informer.start();
    await honest.start();
    expect(names(informer)).toEqual(['blue', 'red']);
    await expect.poll(() => lines).toContain('error KUBEFLECT_LIST_FN_DIFFERS');
    await expect.poll(async () => (await requests('list')).length).toBe(4);
    expect(honestLines.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('of a list function apply with useListFn, and its objects are in the wire format', async () => {
    const narrow = () => api.listNamespacedConfigMap({ namespace, labelSelector: 'color=red' });
    const informer = makeInformer<ConfigMap>(kubeConfig, path(), narrow, 'color=red', { useListFn: true });
    informers.push(informer);
    await informer.start();
    expect(names(informer)).toEqual(['red']);
    expect(informer.get('red', namespace)).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(informer.get('red', namespace)?.metadata?.creationTimestamp).toMatch(/^\d{4}-[^.]*Z$/);
    await change('red', { n: '2' });
    await expect.poll(() => informer.get('red', namespace)?.data).toEqual({ n: '2' });
    const [list] = await requests('list');
    expect(list?.userAgent).not.toMatch(/kubeflect/);
  });
});

it('a ListWatch uses an engine that was passed in, and does not close it', async () => {
  await using engine = new Engine({ kubeConfig, workers: 1 });
  const informer = make(undefined, { engine });
  await informer.start();
  expect(engine.stats().informers.map(({ state }) => state)).toEqual(['synced']);
  await informer.stop();
  const again = make(undefined, { engine });
  await again.start();
});
