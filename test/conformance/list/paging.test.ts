/** LIST in pages: tokens, what one snapshot means, expiry. */

import { describe, expect } from 'vitest';
import { either, test } from '../harness/case.js';
import { expectStatus } from '../harness/expect-status.js';
import { configMap, type KubeObject, kindNamed } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';

interface Token {
  v: string;
  rv: number;
  start: string;
}

function decodeToken(list: KubeObject): Token {
  return JSON.parse(Buffer.from(list.metadata.continue ?? '', 'base64url').toString('utf8')) as Token;
}

function encodeToken(token: Partial<Token>): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

async function seed(ns: Sandbox, count: number): Promise<string> {
  for (let i = 0; i < count; i += 1) {
    await ns.create('configmaps', configMap(`c${i}`, { metadata: { labels: { odd: String(i % 2) } } }));
  }
  return ns.path('configmaps');
}

function names(list: KubeObject): string[] {
  return list.items.map((item) => item.metadata.name);
}

describe('pages', () => {
  test('form the complete list, at one revision, with a decreasing remainingItemCount', async ({ ns }) => {
    const path = await seed(ns, 5);
    const first = (await ns.api.get(path, { limit: 2 })).json;
    const second = (await ns.api.get(path, { limit: 2, continue: first.metadata.continue ?? '' })).json;
    const third = (await ns.api.get(path, { limit: 2, continue: second.metadata.continue ?? '' })).json;
    expect([names(first), names(second), names(third)]).toEqual([['c0', 'c1'], ['c2', 'c3'], ['c4']]);
    expect(first.metadata.remainingItemCount).toBe(3);
    expect(second.metadata.remainingItemCount).toBe(1);
    expect(third.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  test('have metadata in the order resourceVersion, continue, remainingItemCount', async ({ ns }) => {
    const path = await seed(ns, 3);
    const response = await ns.api.get(path, { limit: 1 });
    const { resourceVersion, continue: token } = response.json.metadata;
    expect(response.text).toMatch(/^\{"kind":"ConfigMapList","apiVersion":"v1","metadata":\{/);
    expect(response.text).toContain(
      `"metadata":{"resourceVersion":"${resourceVersion}","continue":"${token}","remainingItemCount":2},"items":[`,
    );
  });

  test('have no token if the limit is the number of objects', async ({ ns }) => {
    const path = await seed(ns, 3);
    const list = (await ns.api.get(path, { limit: 3 })).json;
    expect(list.items).toHaveLength(3);
    expect(Object.keys(list.metadata)).toEqual(['resourceVersion']);
  });

  test('have the revision of the first page, whatever was written since', async ({ ns }) => {
    const path = await seed(ns, 4);
    const first = (await ns.api.get(path, { limit: 2 })).json;
    await ns.create('configmaps', configMap('c5'));
    await ns.delete(ns.path('configmaps', 'c2'));
    await ns.change(ns.path('configmaps', 'c3'), { data: { new: '1' } });
    const rest = (await ns.api.get(path, { continue: first.metadata.continue ?? '' })).json;
    expect(names(rest)).toEqual(['c2', 'c3']);
    expect(rest.items[1]?.data).toBeUndefined();
    expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  test('with a label selector are filled with matching objects, without a count', async ({ ns }) => {
    const path = await seed(ns, 6);
    const query = { limit: 2, labelSelector: 'odd=1' };
    const first = (await ns.api.get(path, query)).json;
    expect(names(first)).toEqual(['c1', 'c3']);
    expect(Object.keys(first.metadata)).toEqual(['resourceVersion', 'continue']);
    const second = (await ns.api.get(path, { ...query, continue: first.metadata.continue ?? '' })).json;
    expect(names(second)).toEqual(['c5']);
    expect(Object.keys(second.metadata)).toEqual(['resourceVersion']);
  });

  test('with a field selector have no count either', async ({ ns }) => {
    const path = await seed(ns, 4);
    const list = (await ns.api.get(path, { limit: 1, fieldSelector: 'metadata.name!=c0' })).json;
    expect(names(list)).toEqual(['c1']);
    expect(Object.keys(list.metadata)).toEqual(['resourceVersion', 'continue']);
  });

  test('of Events exist at resourceVersion 0 too, since they have no watch cache', async ({ ns }) => {
    const events = kindNamed('Event');
    for (const name of ['a', 'b', 'c']) await ns.createKind(events, name);
    const list = (await ns.api.get(ns.path('events'), { resourceVersion: 0, limit: 2 })).json;
    expect(names(list)).toEqual(['a', 'b']);
    expect(list.metadata.remainingItemCount).toBe(1);
  });
});

describe('the continue token', () => {
  test('is base64url without padding, of version, revision and next key', async ({ ns }) => {
    const path = await seed(ns, 4);
    const list = (await ns.api.get(path, { limit: 2 })).json;
    expect(list.metadata.continue).toMatch(/^[A-Za-z0-9_-]+$/);
    const token = decodeToken(list);
    expect(Object.keys(token)).toEqual(['v', 'rv', 'start']);
    expect(token.v).toBe('meta.k8s.io/v1');
    expect(String(token.rv)).toBe(list.metadata.resourceVersion);
    await either(
      'the cache and etcd write the key with and without a leading slash',
      { name: 'with', check: () => expect(token.start).toBe('/c1\u0000') },
      { name: 'without', check: () => expect(token.start).toBe('c1\u0000') },
    );
  });

  test('of a list over all namespaces contains namespace and name', async ({ ns }) => {
    await seed(ns, 3);
    const label = ns.name;
    for (const name of ['c0', 'c1']) {
      await ns.change(ns.path('configmaps', name), { metadata: { labels: { run: label } } });
    }
    const list = (await ns.api.get('/api/v1/configmaps', { limit: 1, labelSelector: `run=${label}` })).json;
    expect(names(list)).toEqual(['c0']);
    expect(decodeToken(list).start.replace(/^\//, '')).toBe(`${ns.name}/c0\u0000`);
  });

  test.for(['c1\u0000', '/c1\u0000'])('is accepted with start %j', async (start, { ns }) => {
    const path = await seed(ns, 4);
    const rv = Number((await ns.api.get(path)).json.metadata.resourceVersion);
    const list = (await ns.api.get(path, { continue: encodeToken({ v: 'meta.k8s.io/v1', rv, start }) })).json;
    expect(names(list)).toEqual(['c2', 'c3']);
    expect(list.metadata.resourceVersion).toBe(String(rv));
  });

  test('with revision -1 continues at the newest revision', async ({ ns }) => {
    const path = await seed(ns, 3);
    const before = (await ns.api.get(path)).json.metadata.resourceVersion;
    await ns.create('configmaps', configMap('c9'));
    const token = encodeToken({ v: 'meta.k8s.io/v1', rv: -1, start: 'c1\u0000' });
    const list = (await ns.api.get(path, { continue: token, limit: 5 })).json;
    expect(names(list)).toEqual(['c2', 'c9']);
    expect(BigInt(list.metadata.resourceVersion)).toBeGreaterThan(BigInt(before));
  });

  const malformed: [title: string, token: string, message: string][] = [
    [
      'not JSON',
      Buffer.from('hello').toString('base64url'),
      "invalid character 'h' looking for beginning of value",
    ],
    [
      'revision 0',
      encodeToken({ v: 'meta.k8s.io/v1', rv: 0, start: 'x\u0000' }),
      'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    [
      'no start key',
      encodeToken({ v: 'meta.k8s.io/v1', rv: 5 }),
      'encoded start key empty (version meta.k8s.io/v1)',
    ],
    [
      'another version',
      encodeToken({ v: 'meta.k8s.io/v9', rv: 5, start: 'x' }),
      'server does not recognize this encoded version meta.k8s.io/v9',
    ],
    ['a key that climbs', encodeToken({ v: 'meta.k8s.io/v1', rv: 5, start: '../x' }), '../x'],
  ];
  test.for(malformed)('is a 400 if it is malformed: %s', async ([, token, message], { ns }) => {
    expectStatus(await ns.api.get(ns.path('configmaps'), { continue: token }), {
      code: 400,
      reason: 'BadRequest',
      message: `invalid continue token: continue key is not valid: ${message}`,
    });
  });

  test('of revision 1 is accepted or expired', async ({ ns }) => {
    const response = await ns.api.get(ns.path('configmaps'), {
      continue: encodeToken({ v: 'meta.k8s.io/v1', rv: 1, start: 'a\u0000' }),
      limit: 3,
    });
    await either(
      'a store is compacted when it likes, a real one every five minutes',
      {
        name: 'not compacted yet: the list of revision 1',
        check: () =>
          expect(response.text).toBe(
            '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}\n',
          ),
      },
      {
        name: 'compacted: 410 with a token that goes on at the newest revision',
        check: async () => {
          const { continue: token } = response.json.metadata;
          expectStatus(response, {
            code: 410,
            reason: 'Expired',
            message:
              'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
            metadata: { continue: token ?? '' },
          });
          expect(decodeToken(response.json)).toEqual({ v: 'meta.k8s.io/v1', rv: -1, start: 'a\u0000' });
        },
      },
    );
  });

  test('is not part of the response when an Exact list has expired', async ({ ns }) => {
    const response = await ns.api.get(ns.path('configmaps'), {
      resourceVersion: 1,
      resourceVersionMatch: 'Exact',
    });
    await either(
      'a store is compacted when it likes, a real one every five minutes',
      {
        name: 'not compacted yet: the list of revision 1',
        check: () => expect(response.json.metadata).toEqual({ resourceVersion: '1' }),
      },
      {
        name: 'compacted',
        check: () =>
          expectStatus(response, {
            code: 410,
            reason: 'Expired',
            message: 'The resourceVersion for the provided list is too old.',
          }),
      },
    );
  });
});
