import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Engine } from 'kubeflect';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CONFIG_MAPS, EngineFixture, PODS } from '../support/engine/engine-fixture.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

describe('an engine on an API server with protobuf', () => {
  let world: EngineFixture;

  beforeAll(async () => {
    world = await EngineFixture.start();
    await world.server.populate({ kind: 'Pod', count: 50, seed: 1 });
  });
  afterEach(() => world.closeEngines());
  afterAll(() => world.close());

  it('streams built-in kinds in protobuf and lists custom resources in JSON, without a rejected request', async () => {
    const widgets = await world.define('encodings.test', 'Widget');
    const before = (await world.server.requests()).length;
    const engine = world.engine();
    const informers = [PODS, widgets, { ...PODS, metadataOnly: true }].map((options, i) =>
      engine.informer({ ...options, name: `informer ${i}` }),
    );
    for (const informer of informers) informer.start();
    await Promise.all(informers.map(({ synced }) => synced));
    expect(engine.stats().informers.map(({ encoding }) => encoding)).toEqual([
      'protobuf',
      'json',
      'protobuf',
    ]);
    await world.converged(informers[0] as (typeof informers)[0], PODS);
    const requests = (await world.server.requests()).slice(before);
    expect(requests.filter(({ status = 200 }) => status !== 200)).toEqual([]);
    const asked = (text: string): string[] =>
      requests.filter(({ path }) => path.includes(text)).map(({ verb, accept }) => `${verb} ${accept}`);
    expect(asked('pods')[0]).toBe(`watch ${PROTOBUF},application/json`);
    expect(asked('widgets')[0]).toBe('list application/json');
  });

  it.each(['simd', 'json'] as const)(
    'decodes protobuf to the same objects as JSON with the %s decoder',
    async (decoder) => {
      const engine = world.engine();
      const informers = (['json', 'protobuf'] as const).map((encoding) =>
        engine.informer({ ...PODS, encoding, advanced: { decoder }, drop: [], name: encoding }),
      );
      for (const informer of informers) informer.start();
      await Promise.all(informers.map(({ synced }) => synced));
      const [json, protobuf] = informers.map(({ lister }) => lister.list());
      expect(protobuf?.length).toBe(50);
      expect(protobuf).toEqual(json);
    },
  );

  it.each([['metadata.annotations'], ['metadata.namespace'], ['metadata']])(
    'accepts objects without %s, also in a streaming list',
    async (path) => {
      const lists = (await world.lists()).length;
      const engine = world.engine();
      const pods = engine.informer({ ...PODS, drop: [path] });
      pods.start();
      await pods.synced;
      expect(engine.stats().informers[0]?.encoding).toBe('protobuf');
      expect(await world.lists()).toHaveLength(lists);
      await world.converged(pods, PODS);
      for (const pod of pods.lister.list()) expect(pod).not.toHaveProperty(path);
      expect(world.errors).toEqual([]);
    },
  );

  it('requests JSON for hooks and for the json decoder, and rejects the option protobuf for a kind without a schema', async () => {
    const engine = world.engine();
    const pods = engine.informer({ ...PODS, advanced: { decoder: 'json' } });
    pods.start();
    await pods.synced;
    expect(engine.stats().informers[0]).toMatchObject({
      encoding: 'json',
      decoder: 'json',
      unknownFields: 0,
    });
    const widgets = { apiVersion: 'encodings.test/v1', kind: 'Widget', plural: 'widgets' };
    expect(() => engine.informer({ ...widgets, encoding: 'protobuf' })).toThrow(
      expect.objectContaining({ code: 'KUBEFLECT_OPTION_INVALID' }),
    );
  });
});

describe('an engine on an API server that rejects streaming lists', () => {
  it.each(['auto', 'stream'] as const)(
    'lists in pages instead with list mode %s, which counts as the first list and is no error',
    async (list) => {
      const world = await EngineFixture.start({ watchList: 'rejected' });
      onTestFinished(() => world.close());
      await world.server.populate({ kind: 'Pod', count: 50, seed: 1 });
      const engine = world.engine();
      const pods = engine.informer({ ...PODS, list });
      pods.start();
      await pods.synced;
      await world.converged(pods, PODS);
      expect(await world.requestsOf('/api/v1/pods')).toMatchObject({ stream: 1, list: 1 });
      expect(engine.stats().informers).toMatchObject([{ relists: 0, listed: 50 }]);
      expect(world.faults).toEqual([]);
    },
  );
});

describe('an engine on a server without protobuf', () => {
  let server: Server;
  const requests: string[] = [];

  /** Has one list, and watches that are silent. */
  async function start(refuses: (request: IncomingMessage) => boolean): Promise<Engine> {
    const list = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] };
    requests.length = 0;
    server = createServer((request, response) => {
      const isWatch = request.url?.includes('watch=true') ?? false;
      const isRefused = refuses(request);
      requests.push(`${isRefused ? 'refused' : 'answered'} ${isWatch ? 'watch' : 'list'}`);
      response.writeHead(isRefused ? 406 : 200, { 'Content-Type': 'application/json' });
      if (isWatch && !isRefused) response.flushHeaders();
      else response.end(JSON.stringify(list));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new Engine({ connection: { server: url, headers: {} }, workers: 1 });
  }

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function sync(engine: Engine, labelSelector: string): Promise<void> {
    const informer = engine.informer({ ...CONFIG_MAPS, labelSelector });
    informer.start();
    await informer.synced;
  }

  it('lists JSON in pages if the server responds in JSON, and does not request protobuf again', async () => {
    await using engine = await start(() => false);
    await sync(engine, 'a');
    await expect.poll(() => requests).toEqual(['answered watch', 'answered list', 'answered watch']);
    await sync(engine, 'b');
    await expect.poll(() => requests.slice(3)).toEqual(['answered list', 'answered watch']);
    const json = { encoding: 'json', relists: 0 };
    expect(engine.stats().informers).toMatchObject([json, json]);
  });

  it('falls back to JSON after one 406', async () => {
    await using engine = await start(({ headers }) => headers.accept?.includes(PROTOBUF) ?? false);
    await sync(engine, 'a');
    await expect.poll(() => requests.length).toBe(4);
    expect(requests).toEqual(['refused watch', 'answered watch', 'answered list', 'answered watch']);
    await sync(engine, 'b');
    await expect.poll(() => requests.slice(4)).toEqual(['answered list', 'answered watch']);
  });
});
