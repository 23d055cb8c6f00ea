/** What only the embedded server can be made to response in protobuf. */

import { gunzipSync } from 'node:zlib';
import { type ApiServerHandle, type Fault, startApiServer } from 'kubeflect/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ApiClient, type ApiResponse, type Query } from '../conformance/harness/client.js';
import { readConnection } from '../conformance/harness/target.js';
import { PROTOBUF } from '../support/objects/protobuf.js';
import { readProtobuf, readProtobufEvents } from '../support/objects/protobuf-responses.js';

const PODS = '/api/v1/pods';
const COUNT = 300;
const WATCH = {
  watch: 1,
  sendInitialEvents: true,
  allowWatchBookmarks: true,
  resourceVersionMatch: 'NotOlderThan',
  timeoutSeconds: 1,
};

let server: ApiServerHandle;
let api: ApiClient;

beforeAll(async () => {
  server = await startApiServer();
  await server.populate({ kind: 'Pod', count: COUNT });
  api = new ApiClient(await readConnection(server.kubeConfig));
});

afterEach(() => server.faults.clear());

afterAll(async () => {
  api.close();
  await server.close();
});

function get(query: Query, accept = PROTOBUF, headers: Record<string, string> = {}): Promise<ApiResponse> {
  return api.get(PODS, query, { ...headers, Accept: accept });
}

async function getWith(fault: Fault, query: Query): Promise<ApiResponse> {
  await server.faults.add({ fault });
  return get(query);
}

/** The pods of a list's protobuf and of its JSON, as far as both say. */
function names(list: Record<string, unknown>): unknown[] {
  const items = list['items'] as readonly { metadata: { name: string; resourceVersion: string } }[];
  return items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]);
}

it('lists populated objects, by pages and at once, as JSON does', async () => {
  const { json } = await api.get(PODS);
  const whole = readProtobuf((await get({})).bytes);
  expect(names(whole)).toEqual(names(json as unknown as Record<string, unknown>));
  expect(whole['items']).toHaveLength(COUNT);
  const page = readProtobuf((await get({ limit: 7 })).bytes);
  expect(names(page)).toEqual(names(whole).slice(0, 7));
  expect(page['metadata']).toMatchObject({ remainingItemCount: COUNT - 7 });
});

it('streams populated objects', async () => {
  const [pod] = readProtobuf((await get({ limit: 1 })).bytes)['items'] as { metadata: { name: string } }[];
  const events = readProtobufEvents((await get(WATCH)).bytes);
  expect(events.filter(({ type }) => type === 'ADDED')).toHaveLength(COUNT);
  expect(events[0]?.object).toMatchObject({ kind: 'Pod', apiVersion: 'v1', metadata: pod?.metadata });
});

it('compresses large bodies for clients that accept gzip', async () => {
  const response = await get({}, PROTOBUF, { 'Accept-Encoding': 'gzip' });
  expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': PROTOBUF });
  expect(readProtobuf(gunzipSync(response.bytes))['items']).toHaveLength(COUNT);
});

it('sends an error as an event', async () => {
  const failed = await getWith({ type: 'errorEvent', code: 410, reason: 'Expired', afterEvents: 2 }, WATCH);
  const events = readProtobufEvents(failed.bytes);
  expect(events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'ERROR']);
  expect(events[2]?.object).toMatchObject({ kind: 'Status', code: 410, reason: 'Expired' });
});

it('sends the wrong kind of a fault in an event', async () => {
  const { bytes } = await getWith({ type: 'wrongKind', nth: 1 }, WATCH);
  expect(() => readProtobufEvents(bytes)).toThrow('no message for Impostor of v1');
});

it.each([
  ['a list', {}],
  ['a watch', WATCH],
])('corrupts one document of %s', async (_, query) => {
  const { bytes } = await getWith({ type: 'invalidJson', nth: 1 }, query);
  const read = (): unknown => ('watch' in query ? readProtobufEvents(bytes) : readProtobuf(bytes));
  expect(read).toThrow(/illegal tag 0/);
});

it.each([
  ['a list', {}],
  ['a watch', WATCH],
])('truncates one document of %s, and ends', async (_, query) => {
  const whole = await get(query);
  const { bytes } = await getWith({ type: 'truncatedJson', nth: 1 }, query);
  expect(bytes.length).toBeLessThan(whole.bytes.length / 10);
  const read = (): unknown => ('watch' in query ? readProtobufEvents(bytes) : readProtobuf(bytes));
  expect(read).toThrow();
});
