import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiServerHandle, startApiServer } from 'kubeflect/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StreamEnvironment } from '#dist/workers/stream-session.js';
import { runStream, StreamRun, type TaskSpec } from '../support/workers/stream-run.js';

const NAMES = Array.from({ length: 20 }, (_, i) => `settings-${String(i).padStart(2, '0')}`);
const LIST = '/api/v1/namespaces/default/configmaps';
const PODS = { apiVersion: 'v1', kind: 'Pod', indexPaths: ['spec.nodeName'] };
const POD_COUNT = 300;

let server: ApiServerHandle;

beforeAll(async () => {
  server = await startApiServer();
  for (const name of NAMES) await create(name);
  await server.populate({ kind: 'Pod', count: POD_COUNT });
});

afterEach(() => server.faults.clear());
afterAll(() => server.close());

function configMap(name: string, data: Record<string, string> = { k: 'v'.repeat(100) }) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
}

function create(name: string) {
  return server.create(configMap(name));
}

function list(spec: Partial<TaskSpec> = {}, environment?: StreamEnvironment): Promise<StreamRun> {
  return runStream({ path: LIST, connection: server.url, ...spec }, environment);
}

function watchSpec(query: string, spec: Partial<TaskSpec> = {}): TaskSpec {
  return { verb: 'watch', path: `${LIST}?watch=1&${query}`, connection: server.url, ...spec };
}

/** Ends after the events that are there. */
function watchAll(spec: Partial<TaskSpec> = {}): Promise<StreamRun> {
  return runStream(watchSpec('resourceVersion=0&timeoutSeconds=1', spec));
}

async function lastRequest() {
  const requests = await server.requests();
  return requests.at(-1);
}

describe('StreamSession, list', () => {
  it('delivers every object of the server, with its type, after the head of the list', async () => {
    const run = await list({ path: '/api/v1/pods', decoding: PODS });
    expect(run.types.slice(0, 3)).toEqual(['open', 'begin', 'batch']);
    expect(run.types.at(-1)).toBe('end');
    expect(run.objects).toHaveLength(POD_COUNT);
    const { count, resourceVersion } = await server.digest({ apiVersion: 'v1', kind: 'Pod' });
    expect(run.objects).toHaveLength(count);
    expect(run.end).toMatchObject({ resourceVersion, continue: '' });
    for (const { key, object, resourceVersion: version, indexValues } of run.objects.slice(0, 10)) {
      const [namespace, name] = key.split('/') as [string, string];
      const stored = (await server.get({ apiVersion: 'v1', kind: 'Pod', namespace, name })) ?? {};
      const { managedFields: _, ...metadata } = stored.metadata ?? {};
      expect(object).toEqual({ ...stored, kind: 'Pod', apiVersion: 'v1', metadata });
      expect(version).toBe(metadata.resourceVersion);
      expect(indexValues[0]).toEqual([(stored['spec'] as { nodeName: string }).nodeName]);
    }
  });

  it('delivers resource version and continue token of a page before its items', async () => {
    const first = await list({ path: `${LIST}?limit=15` });
    expect(first.objects).toHaveLength(15);
    const begin = first.messages.find((message) => message.type === 'begin');
    expect(begin).toMatchObject({ continue: first.end?.continue });
    const token = first.end?.continue ?? '';
    expect(token).not.toBe('');
    const second = await list({ path: `${LIST}?limit=15&continue=${encodeURIComponent(token)}` });
    expect([...first.objects, ...second.objects].map(({ key }) => key)).toEqual(
      NAMES.map((name) => `default/${name}`),
    );
    expect(second.end).toMatchObject({ continue: '' });
  });

  it('accepts custom resources, whose head comes after the items', async () => {
    await server.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
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
    const path = '/apis/example.com/v1/widgets';
    const decoding = { apiVersion: 'example.com/v1', kind: 'Widget', indexPaths: ['spec.size'] };
    await expect.poll(async () => (await list({ path, decoding })).types).toContain('end');
    for (const size of [1, 2]) {
      await server.create({
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        metadata: { name: `w${size}`, namespace: 'default' },
        spec: { size },
      });
    }
    const run = await list({ path, decoding });
    expect(run.types).toEqual(['open', 'batch', 'end']);
    expect(run.objects.map(({ key, indexValues }) => [key, indexValues[0]])).toEqual([
      ['default/w1', ['1']],
      ['default/w2', ['2']],
    ]);
    expect(run.objects[0]?.object).toMatchObject({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      spec: { size: 1 },
    });
    expect(run.end?.resourceVersion).toMatch(/^\d+$/);
  });

  it('delivers only metadata if requested, with the type of the objects', async () => {
    const run = await list({ decoding: { form: 'metadata' } });
    expect(run.objects).toHaveLength(NAMES.length);
    expect(run.objects[0]?.object).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: expect.objectContaining({ name: NAMES[0] }),
    });
    expect((await lastRequest())?.accept).toContain('as=PartialObjectMetadataList');
  });

  it('is compressed if it is long and compression is enabled', async () => {
    const plain = await list({ path: '/api/v1/pods', decoding: PODS });
    expect(await lastRequest()).toMatchObject({ acceptEncoding: 'identity' });
    const zipped = await list({
      path: '/api/v1/pods',
      decoding: PODS,
      connection: { server: server.url, headers: {}, compression: 'gzip' },
    });
    expect(await lastRequest()).toMatchObject({ acceptEncoding: 'gzip' });
    expect(zipped.objects).toHaveLength(POD_COUNT);
    expect(zipped.objects.map(({ object }) => object)).toEqual(plain.objects.map(({ object }) => object));
  });

  it('sends a User-Agent and accepts JSON', async () => {
    await list({ connection: { server: server.url, headers: { Authorization: 'Bearer t' } } });
    const request = await lastRequest();
    expect(request?.userAgent).toMatch(/^kubeflect\/\d+\.\d+\.\d+$/);
    expect(request?.accept).toBe('application/json');
  });

  it('reuses its connection', async () => {
    const environment = new StreamEnvironment();
    const connections = new Set<number | undefined>();
    for (let i = 0; i < 4; i++) {
      await list({}, environment);
      connections.add((await lastRequest())?.connection);
    }
    // A refusal that was read to its end leaves a good connection too.
    await list({ path: '/api/v1/nothing-of-the-kind' }, environment);
    connections.add((await lastRequest())?.connection);
    expect(connections.size).toBe(1);
    environment.httpClient.close();
  });

  it('delivers the same in chunks of any size', async () => {
    const whole = await list();
    for (const sizes of [[1], [2], [3], [7], [4096], [1, 2, 3, 5, 700]]) {
      await server.faults.clear();
      await server.faults.add({ fault: { type: 'chunks', sizes } });
      const run = await list();
      expect(run.rows, String(sizes)).toEqual(whole.rows);
      expect(run.end).toEqual(whole.end);
    }
  });

  it.each([0, 1, 57, 500, 3000])('fails if it is cut after %d bytes', async (afterBytes) => {
    await server.faults.add({ fault: { type: 'cut', afterBytes } });
    const run = await list();
    expect(run.types).not.toContain('end');
    expect(run.error).toMatchObject({ type: 'transport', errno: 'truncated' });
  });

  it('fails if the body ends cleanly in the middle of an item', async () => {
    await server.faults.add({ fault: { type: 'truncatedJson', nth: 3 } });
    expect((await list()).error).toMatchObject({ type: 'transport', errno: 'truncated' });
  });

  it('fails if an item is not JSON and its end cannot be found', async () => {
    await server.faults.add({ fault: { type: 'invalidJson', nth: 3 } });
    expect((await list()).error).toMatchObject({ type: 'protocol' });
  });

  it('reports an item of another kind, and delivers the others', async () => {
    await server.faults.add({ fault: { type: 'wrongKind', nth: 3 } });
    const run = await list();
    expect(run.objects).toHaveLength(NAMES.length - 1);
    expect(run.rows[3]).toMatchObject({ type: 'rejected', reason: 'wrong-type', key: `default/${NAMES[3]}` });
    expect(run.end).toBeDefined();
  });

  it('reports an item over the size limit by key, and delivers the others', async () => {
    await server.create(configMap('too-large', { k: 'x'.repeat(20_000) }));
    const run = await list({ limits: { objectBytes: 10_000 } });
    await server.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'too-large' });
    expect(run.objects).toHaveLength(NAMES.length);
    expect(run.rows.filter((row) => row.type === 'rejected')).toEqual([
      expect.objectContaining({
        reason: 'undecodable',
        message: 'the object is larger than 10000 bytes',
        key: 'default/too-large',
        resourceVersion: expect.stringMatching(/^\d+$/),
      }),
    ]);
  });

  it('fails at its deadline, before and after the headers', async () => {
    for (const afterBytes of [0, 100]) {
      await server.faults.clear();
      await server.faults.add({ fault: { type: 'stall', afterBytes } });
      const before = performance.now();
      const run = await list({ limits: { listMs: 150 } });
      expect(run.error).toMatchObject({ type: 'transport', errno: 'ETIMEDOUT' });
      expect(performance.now() - before).toBeLessThan(2000);
    }
  });

  it('stops reading without credit, and continues with it', async () => {
    const spec = { path: '/api/v1/pods', decoding: PODS, connection: server.url, credits: 1 };
    const connection = { server: server.url, headers: {}, compression: 'identity' as const };
    const limits = { batchBytes: 16 << 10 };
    const run = new StreamRun({ ...spec, connection, limits }, { grantsCredits: false });
    await run.until(({ types }) => types.includes('batch'));
    // Long enough for more to arrive: that nothing does cannot be polled for.
    await sleep(150);
    expect(run.types).toEqual(['open', 'begin', 'batch']);
    // One batch and one piece of the body, plus what is read ahead.
    expect(run.session.heldBytes).toBeLessThan(600 << 10);
    while (run.end === undefined) {
      run.send({ type: 'credit', batches: 1 });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await run.ended;
    expect(run.objects).toHaveLength(POD_COUNT);
  });
});

describe('StreamSession, error response', () => {
  it.each([404, 429, 503])('turns a plain-text %d into a Status', async (code) => {
    await server.faults.add({ fault: { type: 'plainText', code, retryAfterSeconds: 3 } });
    for (const run of [await list(), await watchAll()]) {
      expect(run.types).toEqual(['failed']);
      expect(run.error).toMatchObject({
        type: 'status',
        status: { kind: 'Status', code },
        retryAfterMs: 3000,
      });
    }
  });

  it('passes on the Status of the server', async () => {
    await server.faults.add({ fault: { type: 'status', code: 410, reason: 'Expired', message: 'too old' } });
    expect((await list()).error).toMatchObject({
      type: 'status',
      status: { code: 410, reason: 'Expired', message: 'too old' },
    });
  });

  it('does not follow a redirect', async () => {
    const elsewhere = await startApiServer();
    await server.faults.add({ fault: { type: 'redirect', location: `${elsewhere.url}${LIST}` } });
    const run = await list();
    expect(run.error).toMatchObject({ type: 'status', status: { code: 307 } });
    expect(await elsewhere.requests()).toEqual([]);
    await elsewhere.close();
  });
});

describe('StreamSession, watch', () => {
  it('delivers events and bookmarks, and reports when it was closed', async () => {
    const { end } = await list();
    const run = new StreamRun(watchSpec(`resourceVersion=${end?.resourceVersion}&allowWatchBookmarks=true`));
    await run.until(({ types }) => types.includes('open'));
    await create('passing');
    await server.patch(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'passing' },
      { data: { k: 'changed' } },
    );
    await server.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'passing' });
    await run.until(({ objects }) => objects.length === 3);
    await server.closeWatches();
    await run.ended;
    expect(run.objects.map(({ type, key }) => `${type} ${key}`)).toEqual([
      'added default/passing',
      'modified default/passing',
      'deleted default/passing',
    ]);
    expect(run.objects[1]?.object).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      data: { k: 'changed' },
    });
    expect(run.end).toEqual({ type: 'end', resourceVersion: '', continue: '' });
  });

  it('delivers a streaming list and the bookmark that ends it', async () => {
    const query =
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1';
    const run = await runStream(watchSpec(query));
    expect(run.objects).toHaveLength(NAMES.length);
    expect(run.rows[NAMES.length]).toMatchObject({ type: 'bookmark', initialEventsEnd: true });
  });

  it('delivers only metadata if requested', async () => {
    const run = await watchAll({ decoding: { form: 'metadata' } });
    expect(run.objects).toHaveLength(NAMES.length);
    expect(Object.keys(run.objects[0]?.object ?? {})).toEqual(['kind', 'apiVersion', 'metadata']);
  });

  it('delivers the same in chunks of any size', async () => {
    const whole = await watchAll();
    expect(whole.objects).toHaveLength(NAMES.length);
    for (const sizes of [[1], [3], [4096], [1, 2, 3, 5, 700]]) {
      await server.faults.clear();
      await server.faults.add({ fault: { type: 'chunks', sizes } });
      expect((await watchAll()).objects, String(sizes)).toEqual(whole.objects);
    }
  });

  it.each(['cut', 'reset'] as const)('delivers the complete events before a %s', async (type) => {
    for (const afterBytes of [0, 1, 700, 2000]) {
      await server.faults.clear();
      await server.faults.add({ fault: { type, afterBytes } });
      const run = await watchAll();
      expect(run.error).toMatchObject({ type: 'transport' });
      // The server's FIN may come before its RST.
      const errnos = type === 'cut' ? ['truncated'] : ['truncated', 'ECONNRESET'];
      expect(errnos).toContain((run.error as { errno: string }).errno);
      expect(run.types.at(-1)).toBe('failed');
      // A reset may overtake what was sent before it.
      if (type === 'cut') expect(run.objects).toHaveLength(Math.floor(afterBytes / (await eventBytes())));
    }
  });

  it('never parses a last line without a newline', async () => {
    await server.faults.add({ fault: { type: 'truncatedJson', nth: 2 } });
    const run = await watchAll();
    expect(run.objects).toHaveLength(2);
    expect(run.rows).toHaveLength(2);
    expect(run.error).toMatchObject({ type: 'transport', errno: 'truncated' });
  });

  it('reports events that cannot be decoded or are of another kind, and continues', async () => {
    await server.faults.add({ fault: { type: 'invalidJson', nth: 1 } });
    await server.faults.add({ fault: { type: 'wrongKind', nth: 3 } });
    const run = await watchAll();
    expect(run.objects).toHaveLength(NAMES.length - 2);
    expect(run.rows[1]).toMatchObject({ type: 'rejected', reason: 'undecodable' });
    expect(run.rows[3]).toMatchObject({
      type: 'rejected',
      reason: 'wrong-type',
      eventType: 'ADDED',
      key: `default/${NAMES[3]}`,
    });
  });

  it('delivers the Status of an ERROR event', async () => {
    await server.faults.add({ fault: { type: 'expireHistory' } });
    const run = await watchAll();
    expect(run.rows).toEqual([
      { type: 'error', status: expect.objectContaining({ code: 410, reason: 'Expired' }) },
    ]);
  });

  it('fails when nothing arrives for the stall timeout, and not before', async () => {
    await server.faults.add({ fault: { type: 'stall', afterBytes: 700 } });
    const before = performance.now();
    const run = await runStream(watchSpec('resourceVersion=0', { limits: { watchStallMs: 400 } }));
    const tookMs = performance.now() - before;
    expect(run.error).toMatchObject({ type: 'transport', errno: 'ETIMEDOUT' });
    expect(run.objects.length).toBeGreaterThan(0);
    expect(tookMs).toBeGreaterThan(300);
    expect(tookMs).toBeLessThan(3000);
  });

  it('stays open while bytes arrive, even without a complete event', async () => {
    const silent = new StreamRun(watchSpec('resourceVersion=0', { limits: { watchStallMs: 400 } }));
    await silent.until(({ objects }) => objects.length === NAMES.length);
    const touch = setInterval(() => void touchFirst(), 100);
    // Three times the timeout.
    await sleep(1200);
    clearInterval(touch);
    expect(silent.types).not.toContain('failed');
    silent.send({ type: 'stop' });
    await silent.ended;
  });

  it('continues to read without credit, merges by key, and is complete when credit returns', async () => {
    const target = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'merging', name });
    const add = (name: string) => {
      const { apiVersion, kind, ...metadata } = target(name);
      return server.create({ apiVersion, kind, metadata, data: {} });
    };
    await server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'merging' } });
    const start = (await add('hot')).metadata?.resourceVersion;
    const path = `/api/v1/namespaces/merging/configmaps?watch=1&resourceVersion=${start}`;
    const spec = watchSpec('', { path, credits: 1, limits: { batchBytes: 2048 } });
    const run = new StreamRun(spec, { grantsCredits: false });
    await run.until(({ types }) => types.includes('open'));
    let last: string | undefined;
    for (let i = 0; i < 200; i++) {
      last = (await server.patch(target('hot'), { data: { k: `v${i}` } })).metadata?.resourceVersion;
    }
    await add('short-lived');
    await server.delete(target('short-lived'));
    await add('kept');
    await expect.poll(async () => (await lastRequest())?.events ?? 0).toBeGreaterThanOrEqual(203);
    // The worker reads what the server has sent; it reports nothing while it has no credits.
    await sleep(100);
    expect(run.session.heldBytes).toBeLessThan(32_000);
    expect(run.types.filter((type) => type === 'batch')).toHaveLength(1);
    run.send({ type: 'credit', batches: 10 });
    await run.until(({ objects }) => objects.at(-1)?.key === 'merging/kept');
    expect(run.objects.length).toBeLessThan(120);
    const versions = run.objects.map(({ resourceVersion }) => Number(resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(run.objects.at(-2)).toMatchObject({ type: 'modified', key: 'merging/hot', resourceVersion: last });
    await server.delete(target('kept'));
    await run.until(({ objects }) => objects.at(-1)?.type === 'deleted');
    run.send({ type: 'stop' });
    await run.ended;
  });

  it('reports its end only after all events that it held', async () => {
    await server.faults.add({ fault: { type: 'closeAfterEvents', events: 10 } });
    const spec = watchSpec('resourceVersion=0', { credits: 1, limits: { batchBytes: 1 } });
    const run = new StreamRun(spec, { grantsCredits: false });
    await run.until(({ types }) => types.includes('batch'));
    // Long enough for more to arrive: that nothing does cannot be polled for.
    await sleep(100);
    expect(run.types).toEqual(['open', 'batch']);
    run.send({ type: 'credit', batches: 100 });
    await run.ended;
    expect(run.objects).toHaveLength(10);
    expect(run.types.at(-1)).toBe('end');
  });
});

describe('StreamSession, stop', () => {
  it('ends a watch at once, without another message', async () => {
    const run = new StreamRun(watchSpec('resourceVersion=0'));
    await run.until(({ objects }) => objects.length === NAMES.length);
    const said = run.messages.length;
    run.send({ type: 'stop' });
    await run.ended;
    expect(run.messages).toHaveLength(said);
    await expect.poll(async () => (await server.counters()).openWatches).toBe(0);
  });

  it('ends a list that waits for credit, for a response, or for the rest of the body', async () => {
    const pods = { path: '/api/v1/pods', decoding: PODS, connection: server.url, credits: 0 };
    const blocked = new StreamRun({ ...pods, limits: { batchBytes: 1024 } });
    await blocked.until(({ types }) => types.includes('begin'));
    blocked.send({ type: 'stop' });
    await blocked.ended;
    expect(blocked.types).toEqual(['open', 'begin']);
    for (const afterBytes of [0, 100]) {
      await server.faults.clear();
      await server.faults.add({ fault: { type: 'stall', afterBytes } });
      const before = (await server.requests()).length;
      const stalled = new StreamRun({ path: LIST, connection: server.url });
      if (afterBytes > 0) await stalled.until(({ types }) => types.includes('open'));
      else await expect.poll(async () => (await server.requests()).length).toBe(before + 1);
      stalled.send({ type: 'stop' });
      await stalled.ended;
      expect(stalled.error).toBeUndefined();
    }
  });

  it('prevents a stream that has not started from starting', async () => {
    const before = (await server.requests()).length;
    const run = new StreamRun({ path: LIST, connection: server.url });
    run.send({ type: 'stop' });
    await run.ended;
    expect(run.messages).toEqual([]);
    expect(await server.requests()).toHaveLength(before);
  });
});

describe('StreamSession, hooks', () => {
  const hooks = (name: string): string =>
    new URL(`../support/workers/hooks/${name}.mjs`, import.meta.url).href;

  it('runs the hooks in the worker', async () => {
    const decoding = { ...PODS, hooks: hooks('valid'), hookIndexes: ['byNode'] };
    const run = await list({ path: '/api/v1/pods?limit=5', decoding });
    expect(run.objects).toHaveLength(5);
    for (const { object, indexValues } of run.objects) {
      expect(Object.keys(object['spec'] as object)).toEqual(['nodeName']);
      expect(indexValues[1]).toEqual(indexValues[0]);
    }
  });

  it('fails once if the hooks cannot be loaded, before any request is sent', async () => {
    const before = (await server.requests()).length;
    const run = await list({ decoding: { hooks: hooks('broken') } });
    expect(run.error).toMatchObject({
      type: 'hooks',
      message: expect.stringContaining('this module has a bug'),
    });
    expect(await server.requests()).toHaveLength(before);
  });

  it('lets other streams of the thread run while hooks are slow', async () => {
    let ticks = 0;
    const ticker = setInterval(() => ticks++, 5);
    const run = await list({ decoding: { hooks: hooks('slow') } });
    clearInterval(ticker);
    expect(run.objects).toHaveLength(NAMES.length);
    // All of them take 400 ms, each 20: in one piece, none would come in between.
    expect(ticks).toBeGreaterThan(NAMES.length / 4);
  });
});

async function eventBytes(): Promise<number> {
  const run = await watchAllWithoutFaults();
  return run.bytes / run.events;
}

/** Size of one event of this suite's objects: all have the same. */
async function watchAllWithoutFaults(): Promise<{ bytes: number; events: number }> {
  await server.faults.clear();
  await watchAll();
  const request = await lastRequest();
  return { bytes: request?.bytes ?? 0, events: request?.events ?? 1 };
}

function touchFirst(value = Date.now()) {
  return server.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: NAMES[0] as string },
    { data: { k: `v${value}` } },
  );
}
