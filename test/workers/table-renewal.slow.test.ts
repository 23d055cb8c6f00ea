import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StreamEnvironment } from '#dist/workers/stream-session.js';
import { StreamRun } from '../support/workers/stream-run.js';

const OBJECTS = 4000;
/** Objects that share their strings: those of other groups have others. */
const GROUP = 40;
const STRINGS = 50;

interface Shared {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data: Readonly<Record<string, string>>;
}

const objects = Array.from({ length: OBJECTS }, (_, i): Shared => {
  const group = Math.floor(i / GROUP);
  const data = Array.from({ length: STRINGS }, (_, j) => [`key-${j}`, `group ${group} `.repeat(8) + j]);
  return {
    metadata: { name: `object-${i}`, resourceVersion: String(i + 1) },
    data: Object.fromEntries(data),
  };
});
const TYPE = { kind: 'ConfigMap', apiVersion: 'v1' };

let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url?.includes('watch') === true) {
      for (const object of objects) {
        response.write(`${JSON.stringify({ type: 'ADDED', object: { ...TYPE, ...object } })}\n`);
      }
      response.end();
      return;
    }
    const head = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '9999' } };
    response.end(`${JSON.stringify(head).slice(0, -1)},"items":${JSON.stringify(objects)}}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

describe.each(['simd', 'json'] as const)('the table of the %s decoder', (decoder) => {
  const spec = (verb: 'list' | 'watch') => ({
    verb,
    path: `/api/v1/configmaps?${verb}=1`,
    connection: url,
    decoding: { decoder },
  });

  it.each(['list', 'watch'] as const)('is renewed when it is full, in the middle of a %s', async (verb) => {
    const run = new StreamRun(spec(verb));
    await run.ended;
    expect(run.objects.map(({ object }) => object)).toEqual(
      objects.map((object) => ({ ...TYPE, ...object })),
    );
    expect(new Set(run.tableIds).size).toBeGreaterThan(1);
    // A table that stays full would help with the first half of them only.
    expect(run.cellBytes).toBeLessThan(JSON.stringify(objects).length / 3);
  });

  it('is kept while events that were encoded with it wait for credit', async () => {
    const run = new StreamRun({ ...spec('watch'), credits: 1 }, { grantsCredits: false });
    await run.until(({ messages }) => messages.some(({ type }) => type === 'batch'));
    const crediting = setInterval(() => run.send({ type: 'credit', batches: 1 }), 1);
    await run.ended;
    clearInterval(crediting);
    expect(run.objects.map(({ object }) => object)).toEqual(
      objects.map((object) => ({ ...TYPE, ...object })),
    );
  });

  it('is renewed for later streams and for open ones', async () => {
    const environment = new StreamEnvironment();
    const [one, two] = [
      new StreamRun(spec('list'), { environment }),
      new StreamRun(spec('watch'), { environment }),
    ];
    await Promise.all([one.ended, two.ended]);
    const three = new StreamRun(spec('list'), { environment });
    await three.ended;
    for (const { objects: received } of [one, two, three]) {
      expect(received.map(({ object }) => object)).toEqual(objects.map((object) => ({ ...TYPE, ...object })));
    }
    expect(new Set([...one.tableIds, ...two.tableIds]).has(three.tableIds.at(-1) as string)).toBe(false);
  });
});
