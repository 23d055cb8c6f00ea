import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { Engine } from 'kubeflect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveEngineOptions } from '#dist/src/engine/engine-options.js';
import { resolveInformerOptions } from '#dist/src/engine/informer-options.js';
import { RawServer } from '../support/servers/raw-server.js';
import { runStream, StreamRun } from '../support/workers/stream-run.js';

const CONNECTION = { server: 'http://a', headers: {} };
const PODS = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
const CAP = 2048;
const DEPTH = 20;
const WAYS = (['json', 'simd'] as const).flatMap((decoder) => [
  ['list', decoder] as const,
  ['watch', decoder] as const,
]);

const object = (fields: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"},${fields}}`;

/** Nested so deep, itself included. */
const nested = (depth: number): string => object(`"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}`);

let server: RawServer;

beforeAll(async () => {
  server = await RawServer.start();
});
afterAll(() => server.close());

/** What became of a document: `taken`, or why not. */
async function fate(
  json: string,
  verb: 'list' | 'watch',
  decoder: 'json' | 'simd',
  limits: { readonly objectBytes?: number; readonly depth?: number },
): Promise<string> {
  server.lists.splice(0, Number.POSITIVE_INFINITY, Buffer.from(listOf(json)));
  const line = Buffer.from(`{"type":"ADDED","object":${json}}\n`);
  server.events.splice(0, Number.POSITIVE_INFINITY, { version: 7, line });
  const path = verb === 'list' ? '/list' : '/list?watch=true&resourceVersion=6';
  const run = new StreamRun({ verb, path, connection: server.url, decoding: { decoder }, limits });
  await run.until(({ rows }) => rows.length > 0);
  run.session.stop();
  const [row] = run.rows;
  if (row === undefined || 'object' in row) return 'taken';
  return row.type === 'rejected' ? `${row.reason} ${row.key}` : row.type;
}

function listOf(json: string): string {
  return `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[${json}]}`;
}

describe.each(WAYS)('limits by %s with the decoder %s', (verb, decoder) => {
  it.each([
    ['one byte less than the cap', -1, 'taken'],
    ['exactly the cap', 0, 'taken'],
    ['one byte more', 1, 'undecodable n/a'],
  ] as const)('an object of %s is %s', async (_, more, expected) => {
    // A watch counts its envelope.
    const envelope = verb === 'watch' ? '{"type":"ADDED","object":}'.length : 0;
    const filler = CAP + more - envelope - object('"x":""').length;
    const json = object(`"x":"${'0'.repeat(filler)}"`);
    expect(await fate(json, verb, decoder, { objectBytes: CAP })).toBe(expected);
  });

  it.each([
    [DEPTH - 1, 'taken'],
    [DEPTH, 'taken'],
    [DEPTH + 1, 'undecodable n/a'],
  ] as const)('nesting of %i levels is %s', async (depth, expected) => {
    expect(await fate(nested(depth), verb, decoder, { depth: DEPTH })).toBe(expected);
  });
});

describe('limits of gzip', () => {
  let gzipServer: Server;
  let body: Buffer;
  beforeAll(async () => {
    gzipServer = createServer((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
      response.end(body);
    });
    await new Promise<void>((resolve) => gzipServer.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => gzipServer.close(resolve)));

  it('allow any ratio up to 10 MiB, and then at most gzipRatio', async () => {
    const connection = `http://127.0.0.1:${(gzipServer.address() as AddressInfo).port}`;
    const ask = async (bytes: number, gzipRatio: number): Promise<string> => {
      const empty = listOf('').slice(0, -1);
      body = gzipSync(`${empty},"x":"${'0'.repeat(bytes - empty.length - 8)}"}`);
      const run = await runStream({ path: '/list', connection, limits: { gzipRatio } });
      return run.end === undefined ? 'refused' : 'taken';
    };
    const free = 10 << 20;
    expect(await ask(free - 1, 2)).toBe('taken');
    expect(await ask(free + (1 << 20), 2)).toBe('refused');
    // What zeros can be deflated to: about 1030 to 1.
    const ratio = Math.ceil(free / deflateRawSync('0'.repeat(free)).length);
    expect(await ask(free * 2, ratio * 2)).toBe('taken');
    expect(await ask(free * 2, ratio >> 1)).toBe('refused');
  });
});

/** The lowest and the highest of each; undefined where there is no highest. */
const RANGES: readonly (readonly [string, number, number | undefined])[] = [
  ['objectBytes', 1024, 256 * 1024 * 1024],
  ['depth', 10, 1000],
  ['batchBytes', 1024, 16 * 1024 * 1024],
  ['connectMs', 1, undefined],
  ['listMs', 1, undefined],
  ['probeAfterMs', 100, undefined],
  ['probeMs', 100, undefined],
  ['watchStallMs', 1, undefined],
  ['gzipRatio', 2, undefined],
];

const refused = expect.objectContaining({ code: 'KUBEFLECT_OPTION_INVALID' });

describe('the range of an option', () => {
  it.each(RANGES)('of limits.%s is %i to %s', (name, low, high) => {
    const resolve = (value: number) =>
      resolveEngineOptions({ connection: CONNECTION, advanced: { limits: { [name]: value } } });
    for (const value of [low, low + 1]) expect(resolve(value).limits).toMatchObject({ [name]: value });
    expect(() => resolve(low - 1)).toThrow(refused);
    if (high === undefined) return;
    for (const value of [high - 1, high]) expect(resolve(value).limits).toMatchObject({ [name]: value });
    expect(() => resolve(high + 1)).toThrow(refused);
  });

  it('is enforced for workers, heartbeatTimeoutMs and pageSize', () => {
    const engine = (options: object) => resolveEngineOptions({ connection: CONNECTION, ...options });
    for (const workers of [0, 1, 63, 64]) expect(engine({ workers }).workers).toBe(workers);
    for (const workers of [-1, 65]) expect(() => engine({ workers })).toThrow(refused);
    expect(engine({ advanced: { heartbeatTimeoutMs: 100 } }).heartbeatTimeoutMs).toBe(100);
    expect(() => engine({ advanced: { heartbeatTimeoutMs: 99 } })).toThrow(refused);
    for (const pageSize of [1, 2, 99_999, 100_000]) {
      expect(resolveInformerOptions({ ...PODS, pageSize }).pageSize).toBe(pageSize);
    }
    for (const pageSize of [0, 100_001]) {
      expect(() => resolveInformerOptions({ ...PODS, pageSize })).toThrow(refused);
    }
  });

  it('is tested for every limit', () => {
    const { limits } = resolveEngineOptions({ connection: CONNECTION });
    expect(Object.keys(limits).sort()).toEqual(RANGES.map(([name]) => name).sort());
    expect(
      () => new Engine({ connection: CONNECTION, advanced: { limits: { bytes: 1 } as object } }),
    ).toThrow(refused);
  });
});
