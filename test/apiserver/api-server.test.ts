import { get, type IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiServerHandle, type ServerOptions, startApiServer } from 'kubeflect/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, lines } from '../support/servers/http-client.js';

interface List {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: { metadata: { name: string; namespace: string; uid: string; resourceVersion: string } }[];
}

interface Event {
  type: string;
  object: { metadata: { name?: string; resourceVersion: string; annotations?: object }; code?: number };
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const POD = { apiVersion: 'v1', kind: 'Pod' };

const running: ApiServerHandle[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function start(options: ServerOptions = {}): Promise<ApiServerHandle> {
  const server = await startApiServer(options);
  running.push(server);
  return server;
}

async function listed(url: string): Promise<List> {
  const response = await ask(url, { timeoutMs: 20_000 });
  expect(response).toMatchObject({ status: 200, ending: 'end' });
  return JSON.parse(response.text) as List;
}

function configMap(name: string, data: Record<string, string> = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
}

describe('startApiServer options', () => {
  it.each([
    [{ port: -1 }, 'option port must be a whole number from 0 to 65535, got -1'],
    [{ tls: 'yes' }, 'option tls must be true or false, got "yes"'],
    [{ watchList: 'maybe' }, 'option watchList must be one of on, off, rejected, silent, got "maybe"'],
    [{ gitVersion: '1.36' }, 'option gitVersion must be a version such as v1.37.1, got "1.36"'],
    [{ nonsense: 1 }, 'unknown option nonsense; expected one of run, port'],
  ])('are rejected by name: %j', async (options, message) => {
    await expect(startApiServer(options as ServerOptions)).rejects.toThrow(message);
  });

  it('reports a port that is in use with one clear error', async () => {
    const first = await start();
    await expect(startApiServer({ port: first.port })).rejects.toThrow(/could not listen: .*EADDRINUSE/);
  });
});

describe('writes of the handle', () => {
  it('follow the same rules as HTTP requests', async () => {
    const server = await start();
    const target = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' };
    const created = await server.create(configMap('a', { k: '1' }));
    await expect(server.create(configMap('a'))).rejects.toMatchObject({
      status: { code: 409, reason: 'AlreadyExists' },
    });
    const updated = await server.update({ ...created, data: { k: '2' } });
    await expect(server.update({ ...created, data: { k: '3' } })).rejects.toMatchObject({
      status: { code: 409, reason: 'Conflict' },
    });
    expect(Number(updated.metadata?.resourceVersion)).toBeGreaterThan(
      Number(created.metadata?.resourceVersion),
    );
    expect((await server.patch(target, { data: { l: '4' } })).data).toEqual({ k: '2', l: '4' });
    expect(await server.get(target)).toMatchObject({ kind: 'ConfigMap', data: { k: '2', l: '4' } });
    await server.delete(target);
    expect(await server.get(target)).toBeUndefined();
    await expect(server.delete(target)).rejects.toMatchObject({ status: { code: 404 } });
    await expect(
      server.create({ apiVersion: 'nope/v1', kind: 'Nope', metadata: { name: 'a' } }),
    ).rejects.toThrow('has no Nope of nope/v1: create its CustomResourceDefinition first');
  });

  it('create custom resources once their definition was created', async () => {
    const server = await start();
    await server.create(definition('widgets', 'Widget'));
    await server.create({
      apiVersion: 'kubeflect.dev/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { size: 1 },
    });
    const list = await listed(`${server.url}/apis/kubeflect.dev/v1/widgets`);
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['w']);
    await server.populate({ apiVersion: 'kubeflect.dev/v1', kind: 'Widget', count: 100, namespaces: 2 });
    expect((await listed(`${server.url}/apis/kubeflect.dev/v1/widgets`)).items).toHaveLength(101);
  });
});

describe('populated objects', () => {
  it('are listed in key order, once, and match the digest of the server', async () => {
    const server = await start({ run: 'process' });
    await server.populate({ kind: 'Pod', count: 2000, namespaces: 7 });
    const { items } = await listed(`${server.url}/api/v1/pods`);
    const keys = items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(keys).toEqual([...keys].sort());
    expect(new Set(keys).size).toBe(2000);
    expect(new Set(items.map(({ metadata }) => metadata.uid)).size).toBe(2000);
    expect(await server.digest(POD)).toMatchObject({ count: 2000 });
    const [first] = items;
    const path = `/api/v1/namespaces/${first?.metadata.namespace}/pods`;
    expect((await listed(server.url + path)).items.length).toBe(286);
    const one = await ask(`${server.url}${path}/${first?.metadata.name}`);
    expect(JSON.parse(one.text)).toMatchObject({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { uid: first?.metadata.uid },
    });
  });

  it('can be updated, deleted and added to like others, without changing old pages', async () => {
    const server = await start();
    await server.populate({ kind: 'ConfigMap', count: 10, namespaces: 1, namePrefix: 'made' });
    const before = await listed(`${server.url}/api/v1/configmaps?limit=4`);
    const [a, b] = before.items.map(({ metadata }) => ({ apiVersion: 'v1', kind: 'ConfigMap', ...metadata }));
    const page = `${server.url}/api/v1/configmaps?continue=${before.metadata.continue}`;
    const rest = await ask(page);
    if (a === undefined || b === undefined) throw new Error('no objects');
    await server.patch(a, { data: { changed: 'yes' } });
    await server.delete(b);
    await server.create({ ...configMap('zzz'), metadata: { name: 'zzz', namespace: a.namespace } });
    const last = (await listed(page)).items.at(-1)?.metadata ?? { name: '', namespace: '' };
    await server.delete({ apiVersion: 'v1', kind: 'ConfigMap', name: last.name, namespace: last.namespace });
    expect((await ask(page)).text).toBe(rest.text);
    const after = await listed(`${server.url}/api/v1/configmaps`);
    expect(after.items.map(({ metadata }) => metadata.name)).not.toContain(b.name);
    expect(after.items).toHaveLength(9);
    expect(await server.digest({ apiVersion: 'v1', kind: 'ConfigMap' })).toMatchObject({ count: 9 });
  });

  it('take little memory, even a million pods', async () => {
    const server = await start({ run: 'process' });
    await server.populate({ kind: 'Pod', count: 1_000_000 });
    const first = await listed(`${server.url}/api/v1/pods?limit=100`);
    expect(first.metadata.remainingItemCount).toBe(999_900);
    const last = await listed(`${server.url}/api/v1/namespaces/ns-00999/pods?limit=5`);
    expect(last.items).toHaveLength(5);
    const { objects, residentBytes } = await server.counters();
    expect(objects['pods']).toBe(1_000_000);
    // A million pods are ten gigabytes; a bare Node process is about 50 MB.
    expect(residentBytes).toBeLessThan(300 * 1024 * 1024);
  });

  it('are changed by churn at the requested rate until it is stopped', async () => {
    const server = await start();
    const beganMs = performance.now();
    const { resourceVersion: first } = await server.populate({
      kind: 'Pod',
      count: 500,
      churnPerSecond: 1000,
    });
    const path = `${server.url}/api/v1/pods?watch=1&resourceVersion=${first}&timeoutSeconds=2`;
    const events = lines((await ask(path)).text) as Event[];
    const writes = async (): Promise<number> =>
      Number((await server.counters()).resourceVersion) - Number(first);
    // However late a busy machine lets it begin, it makes up for that; and it is never ahead.
    await expect.poll(writes, { timeout: 20_000 }).toBeGreaterThan(1500);
    const made = await writes();
    expect(made).toBeLessThanOrEqual(performance.now() - beganMs);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['ADDED', 'MODIFIED', 'DELETED']));
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((x, y) => x - y));
    await server.stopChurn();
    const { resourceVersion } = await server.counters();
    // Long enough for many changes at the previous rate: that nothing happens cannot be polled for.
    await sleep(100);
    expect((await server.counters()).resourceVersion).toBe(resourceVersion);
  });

  it('are each changed once, in random order, by updateEach', async () => {
    const server = await start();
    const { resourceVersion } = await server.populate({ kind: 'Pod', count: 300 });
    const before = await listed(`${server.url}/api/v1/pods`);
    await server.updateEach(POD, { perSecond: 10_000 });
    const path = `${server.url}/api/v1/pods?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=1`;
    const events = lines((await ask(path)).text) as Event[];
    expect(events.map(({ type }) => type)).toEqual(Array.from({ length: 300 }, () => 'MODIFIED'));
    const nameOf = ({ metadata: { name } }: { metadata: { name?: string } }): string => name ?? '';
    const changed = events.map(({ object }) => nameOf(object));
    const names = before.items.map(nameOf);
    expect(changed).not.toEqual(names);
    expect(changed.sort()).toEqual(names.sort());
  });

  it('are not added when an option is invalid, which the error names', async () => {
    const server = await start();
    await expect(server.populate({ kind: 'Pod', count: -1 })).rejects.toThrow(/count/);
    await expect(server.populate({ kind: 'Nope', count: 1 })).rejects.toThrow(/Nope/);
    expect((await server.counters()).objects['pods'] ?? 0).toBe(0);
  });
});

describe('history', () => {
  it('is dropped by compact, which expires old versions and continue tokens', async () => {
    const server = await start();
    for (const name of ['a', 'b', 'c']) await server.create(configMap(name));
    const first = await listed(`${server.url}${CONFIG_MAPS}?limit=1`);
    await server.create(configMap('d'));
    await server.compact();
    const page = await ask(`${server.url}${CONFIG_MAPS}?limit=1&continue=${first.metadata.continue}`);
    expect(page.status).toBe(410);
    const watch = await ask(
      `${server.url}${CONFIG_MAPS}?watch=1&resourceVersion=${first.metadata.resourceVersion}`,
    );
    expect(lines(watch.text)).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
    const exact = `resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    expect((await ask(`${server.url}${CONFIG_MAPS}?${exact}`)).status).toBe(410);
  });

  it('is bounded: a watch from an older version gets 410', async () => {
    const server = await start({ historyEvents: 5 });
    const { metadata } = await server.create(configMap('a'));
    for (let i = 0; i < 10; i++)
      await server.patch({ apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }, { data: { i: `${i}` } });
    const watch = await ask(
      `${server.url}${CONFIG_MAPS}?watch=1&resourceVersion=${metadata?.resourceVersion}`,
    );
    expect(lines(watch.text)).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
  });
});

describe('watches', () => {
  it('are ended cleanly by closeWatches', async () => {
    const server = await start();
    const watch = ask(`${server.url}${CONFIG_MAPS}?watch=1`);
    await expect.poll(async () => (await server.counters()).openWatches).toBe(1);
    await server.closeWatches();
    expect((await watch).ending).toBe('end');
    expect((await server.counters()).openWatches).toBe(0);
  });

  it('send bookmarks at the configured interval, with the revision of all resources', async () => {
    const server = await start({ bookmarkIntervalMs: 100 });
    const { resourceVersion } = await server.counters();
    const watch = ask(
      `${server.url}${CONFIG_MAPS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`,
    );
    await server.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'elsewhere' } });
    const events = lines((await watch).text) as Event[];
    expect(events.length).toBeGreaterThan(3);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['BOOKMARK']));
    expect(Number(events.at(-1)?.object.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
  });

  it('are closed and counted when the client does not read', async () => {
    const server = await start({ watchBufferEvents: 10, slowWatchGraceMs: 50 });
    const { resourceVersion } = await server.counters();
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`GET ${CONFIG_MAPS}?watch=1&resourceVersion=${resourceVersion} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    const data = { k: 'x'.repeat(500_000) };
    await server.create(configMap('large', data));
    for (let i = 0; (await server.counters()).slowWatchesCut === 0; i++) {
      expect(i).toBeLessThan(200);
      await server.patch({ apiVersion: 'v1', kind: 'ConfigMap', name: 'large' }, { data: { i: `${i}` } });
    }
    socket.destroy();
    await expect.poll(async () => (await server.counters()).openWatches).toBe(0);
  });

  it('are not closed for the history that they have to catch up with', async () => {
    const server = await start({ watchBufferEvents: 10, slowWatchGraceMs: 20 });
    const { resourceVersion } = await server.counters();
    await server.create(configMap('large', { k: 'x'.repeat(500_000) }));
    const large = { apiVersion: 'v1', kind: 'ConfigMap', name: 'large' };
    for (let i = 0; i < 40; i++) await server.patch(large, { data: { i: `${i}` } });
    const watch = `${server.url}${CONFIG_MAPS}?watch=1&resourceVersion=${resourceVersion}`;
    const response = await new Promise<IncomingMessage>((resolve) => get(watch, resolve));
    // Not read meanwhile, for ten times as long as it takes to be cut.
    await sleep(200);
    let events = 0;
    for await (const bytes of response) {
      events += (bytes as Buffer).filter((byte) => byte === 0x0a).length;
      if (events === 41) break;
    }
    expect(events).toBe(41);
    expect((await server.counters()).slowWatchesCut).toBe(0);
  });
});

describe('server options', () => {
  const streaming =
    'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1&timeoutSeconds=1';

  it.each([
    ['on', 200, 'k8s.io/initial-events-end'],
    ['silent', 200, undefined],
    [
      'rejected',
      422,
      'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    ],
    ['off', 422, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'],
  ] as const)('a streaming list on a server with watchList %s', async (watchList, status, word) => {
    const server = await start({ watchList });
    await server.create(configMap('a'));
    const response = await ask(`${server.url}${CONFIG_MAPS}?${streaming}`);
    expect(response.status).toBe(status);
    if (word === undefined) expect(response.text).not.toContain('BOOKMARK');
    else expect(response.text).toContain(word);
  });

  it('without a watch cache, lists at version 0 are paged', async () => {
    const names = ['a', 'b', 'c'];
    const counts: number[] = [];
    for (const watchCache of [true, false]) {
      const server = await start({ watchCache });
      for (const name of names) await server.create(configMap(name));
      counts.push((await listed(`${server.url}${CONFIG_MAPS}?resourceVersion=0&limit=2`)).items.length);
    }
    expect(counts).toEqual([3, 2]);
  });

  it('with a token, other requests get 401', async () => {
    const server = await start({ token: 'secret' });
    expect((await ask(server.url + CONFIG_MAPS)).status).toBe(401);
    expect(
      (await ask(server.url + CONFIG_MAPS, { headers: { Authorization: 'Bearer secret' } })).status,
    ).toBe(200);
  });

  it('with TLS, lists and watches can share one HTTP/2 connection', async () => {
    const server = await start({ tls: true });
    await server.create(configMap('a'));
    const session = connectHttp2(server.url, { ca: server.ca });
    const get = (path: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':path': path });
        let text = '';
        stream.setEncoding('utf8');
        stream.on('data', (chunk: string) => {
          text += chunk;
        });
        stream.on('end', () => resolve(text));
        stream.on('error', reject);
      });
    const [list, watch] = await Promise.all([
      get(CONFIG_MAPS),
      get(`${CONFIG_MAPS}?watch=1&timeoutSeconds=1&allowWatchBookmarks=1`),
    ]);
    expect((JSON.parse(list) as List).items).toHaveLength(1);
    expect((lines(watch) as Event[]).map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
    const requests = await server.requests();
    expect(new Set(requests.map(({ connection }) => connection)).size).toBe(1);
    expect(requests.map(({ httpVersion }) => httpVersion)).toEqual(['2.0', '2.0']);
    session.destroy();
  });
});

describe('the request log', () => {
  it('records the requests of clients and their connections', async () => {
    const server = await start();
    await ask(`${server.url}${CONFIG_MAPS}?limit=3`, { headers: { 'User-Agent': 'me/1.0' } });
    await ask(`${server.url}${CONFIG_MAPS}?watch=1&timeoutSeconds=1`);
    const [list, watch] = await server.requests();
    expect(list).toMatchObject({
      id: 1,
      verb: 'list',
      method: 'GET',
      path: CONFIG_MAPS,
      query: { limit: '3' },
      userAgent: 'me/1.0',
      status: 200,
      httpVersion: '1.1',
    });
    expect(watch).toMatchObject({ id: 2, verb: 'watch', status: 200, events: 0 });
    expect(list?.connection).not.toBe(watch?.connection);
    expect(watch?.endedMs).toBeGreaterThan(watch?.startedMs ?? 0);
    expect(await server.requests({ after: 1 })).toHaveLength(1);
  });
});

describe('closing the server', () => {
  it.each(['thread', 'process'] as const)(
    'ends the %s, its port and its connections, and can be repeated',
    async (run) => {
      const server = await startApiServer({ run });
      const watch = ask(`${server.url}${CONFIG_MAPS}?watch=1`).catch((error: Error) => error.message);
      await expect.poll(async () => (await server.counters()).openWatches).toBe(1);
      await server.close();
      await server.close();
      await watch;
      await expect(ask(server.url + CONFIG_MAPS)).rejects.toThrow('ECONNREFUSED');
      await expect(server.counters()).rejects.toThrow(/has ended/);
    },
  );
});

function definition(plural: string, kind: string) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.kubeflect.dev` },
    spec: {
      group: 'kubeflect.dev',
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}
