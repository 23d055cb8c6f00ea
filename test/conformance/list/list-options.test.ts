/** LIST: resourceVersion × resourceVersionMatch × limit × continue. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import type { Query } from '../harness/client.js';
import { type ExpectedStatus, expectStatus, forbidden, invalidOptions } from '../harness/expect-status.js';
import { configMap, type KubeObject } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';

interface Seeded {
  readonly path: string;
  /** List revision with nothing in the namespace. */
  readonly before: string;
  /** List revision with a, b, c, d. */
  readonly earlier: string;
  /** Token of the first page of two at `earlier`. */
  readonly token: string;
}

/** Four ConfigMaps, a revision, then a fifth one: what is read at `earlier` must not show `e`. */
async function seed(ns: Sandbox): Promise<Seeded> {
  const path = ns.path('configmaps');
  const before = (await ns.api.get(path)).json.metadata.resourceVersion;
  for (const name of ['a', 'b', 'c', 'd']) await ns.create('configmaps', configMap(name));
  const page = (await ns.api.get(path, { limit: 2 })).json.metadata;
  await ns.create('configmaps', configMap('e'));
  // A most recent list makes the watch cache catch up, so that what may be stale (0, not older) is known here.
  await ns.api.get(path);
  return { path, before, earlier: page.resourceVersion, token: page.continue ?? '' };
}

function names(list: KubeObject): string[] {
  return list.items.map((item) => item.metadata.name);
}

const unlessVersion = forbidden(
  'resourceVersionMatch',
  'resourceVersionMatch is forbidden unless resourceVersion is provided',
);
const withContinue = forbidden(
  'resourceVersionMatch',
  'resourceVersionMatch is forbidden when continue is provided',
);
const unsupportedMatch = {
  reason: 'FieldValueNotSupported',
  message: 'Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
  field: 'resourceVersionMatch',
};

const badVersion = (value: string): ExpectedStatus => ({
  code: 400,
  reason: 'BadRequest',
  message: `invalid resource version: resourceVersion: Invalid value: "${value}": strconv.ParseUint: parsing "${value}": invalid syntax`,
});

describe.concurrent('a list request', () => {
  const all = ['a', 'b', 'c', 'd', 'e'];
  const rows: [title: string, query: (seeded: Seeded) => Query, names: string[], at: 'now' | 'earlier'][] = [
    ['nothing set: all, most recent', () => ({}), all, 'now'],
    ['an empty resourceVersion is an absent one', () => ({ resourceVersion: '' }), all, 'now'],
    ['resourceVersion 0: all', () => ({ resourceVersion: 0 }), all, 'now'],
    ['resourceVersion 00 is 0', () => ({ resourceVersion: '00' }), all, 'now'],
    ['resourceVersion N: not older', ({ earlier }) => ({ resourceVersion: earlier }), all, 'now'],
    ['limit: the first page', () => ({ limit: 2 }), ['a', 'b'], 'now'],
    ['limit 0 is no limit', () => ({ limit: 0 }), all, 'now'],
    ['a negative limit is no limit', () => ({ limit: -1 }), all, 'now'],
    ['resourceVersion 0 ignores the limit', () => ({ resourceVersion: 0, limit: 2 }), all, 'now'],
    [
      'limit and resourceVersion N: exactly N',
      ({ earlier }) => ({ resourceVersion: earlier, limit: 10 }),
      ['a', 'b', 'c', 'd'],
      'earlier',
    ],
    [
      'Exact',
      ({ earlier }) => ({ resourceVersion: earlier, resourceVersionMatch: 'Exact' }),
      ['a', 'b', 'c', 'd'],
      'earlier',
    ],
    [
      'Exact with limit: a page of N',
      ({ earlier }) => ({ resourceVersion: earlier, resourceVersionMatch: 'Exact', limit: 3 }),
      ['a', 'b', 'c'],
      'earlier',
    ],
    [
      'NotOlderThan N',
      ({ earlier }) => ({ resourceVersion: earlier, resourceVersionMatch: 'NotOlderThan' }),
      all,
      'now',
    ],
    [
      'NotOlderThan N with limit: a page',
      ({ earlier }) => ({ resourceVersion: earlier, resourceVersionMatch: 'NotOlderThan', limit: 2 }),
      ['a', 'b'],
      'now',
    ],
    ['NotOlderThan 0', () => ({ resourceVersion: 0, resourceVersionMatch: 'NotOlderThan' }), all, 'now'],
    [
      'NotOlderThan 0 ignores the limit',
      () => ({ resourceVersion: 0, resourceVersionMatch: 'NotOlderThan', limit: 2 }),
      all,
      'now',
    ],
    ['continue: the rest of that revision', ({ token }) => ({ continue: token }), ['c', 'd'], 'earlier'],
    ['continue with limit', ({ token }) => ({ continue: token, limit: 1 }), ['c'], 'earlier'],
    ['timeoutSeconds is for watches', () => ({ timeoutSeconds: 1 }), all, 'now'],
    ['timeout as a Go duration', () => ({ timeout: '30s' }), all, 'now'],
    ['an unknown parameter is ignored', () => ({ nonsense: 'x' }), all, 'now'],
    ['shardSelector is ignored while its gate is off', () => ({ shardSelector: 'nonsense' }), all, 'now'],
    ['allowWatchBookmarks means nothing to a list', () => ({ allowWatchBookmarks: true }), all, 'now'],
  ];

  // Pages of a version are served by the watch cache as of 1.34, which ignores a limit with resourceVersion 0.
  const continued = (minor: number): string[] => (minor < 34 ? ['c'] : ['c', 'd']);

  test('with continue and resourceVersion 0 ignores the limit as of 1.34', async ({ ns, minor }) => {
    const { path, earlier, token } = await seed(ns);
    const { json } = await ns.api.get(path, { continue: token, resourceVersion: 0, limit: 1 });
    expect(names(json)).toEqual(continued(minor));
    expect(json.metadata.resourceVersion).toBe(earlier);
  });

  test.for(rows)('has the documented result for: %s', async ([, query, expected, at], { ns }) => {
    const seeded = await seed(ns);
    const response = await ns.api.get(seeded.path, query(seeded));
    expect(response.status).toBe(200);
    expect(names(response.json)).toEqual(expected);
    const version = BigInt(response.json.metadata.resourceVersion);
    if (at === 'earlier') expect(version).toBe(BigInt(seeded.earlier));
    else expect(version).toBeGreaterThan(BigInt(seeded.earlier));
    for (const item of response.json.items) {
      expect(BigInt(item.metadata.resourceVersion)).toBeLessThanOrEqual(version);
    }
  });

  test('with Exact at a revision before the objects returns an empty list of that revision', async ({
    ns,
  }) => {
    const { path, before } = await seed(ns);
    const response = await ns.api.get(path, { resourceVersion: before, resourceVersionMatch: 'Exact' });
    expect(response.text).toBe(
      `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"${before}"},"items":[]}\n`,
    );
  });

  test('returns a revision that counts the writes of other kinds too', async ({ ns }) => {
    const secret = await ns.create('secrets', { metadata: { name: 'a' } });
    const list = (await ns.api.get(ns.path('configmaps'))).json;
    expect(BigInt(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      BigInt(secret.metadata.resourceVersion),
    );
  });

  test.for(['', '0', 'N', 'N+later'])(
    'one object at resourceVersion %j is the newest',
    async (at, { ns }) => {
      const path = ns.path('configmaps', 'a');
      const first = await ns.create('configmaps', configMap('a'));
      const second = await ns.change(path, { data: { k: '1' } });
      // Makes the watch cache catch up, as above.
      await ns.api.get(ns.path('configmaps'));
      const versions = { N: first.metadata.resourceVersion, 'N+later': second.metadata.resourceVersion };
      const resourceVersion = versions[at as keyof typeof versions] ?? at;
      expect((await ns.api.get(path, { resourceVersion })).json).toEqual(second);
    },
  );

  test('for a namespace that does not exist returns an empty list', async ({ api }) => {
    const response = await api.get('/api/v1/namespaces/no-such-namespace/configmaps');
    expect(response.status).toBe(200);
    expect(response.json.items).toEqual([]);
  });

  test.for(['0', 'false', 'False', 'FALSE'])('watch=%s is a list', async (watch, { ns }) => {
    const response = await ns.api.get(ns.path('configmaps'), { watch });
    expect(response.json.kind).toBe('ConfigMapList');
  });
});

describe.concurrent('an invalid list request', () => {
  const badInteger = (value: string): ExpectedStatus => ({
    code: 400,
    reason: 'BadRequest',
    message: `strconv.ParseInt: parsing "${value}": invalid syntax`,
  });
  const rows: [title: string, query: (seeded: Seeded) => Query, status: ExpectedStatus][] = [
    [
      'continue with a resourceVersion',
      ({ earlier, token }) => ({ continue: token, resourceVersion: earlier }),
      {
        code: 400,
        reason: 'BadRequest',
        message: 'specifying resource version is not allowed when using continue',
      },
    ],
    [
      'continue with a match',
      ({ earlier, token }) => ({ continue: token, resourceVersion: earlier, resourceVersionMatch: 'Exact' }),
      invalidOptions('ListOptions', [withContinue]),
    ],
    [
      'continue with a match and no resourceVersion: both causes',
      ({ token }) => ({ continue: token, resourceVersionMatch: 'NotOlderThan' }),
      invalidOptions('ListOptions', [unlessVersion, withContinue]),
    ],
    [
      'Exact without resourceVersion',
      () => ({ resourceVersionMatch: 'Exact' }),
      invalidOptions('ListOptions', [unlessVersion]),
    ],
    [
      'Exact with resourceVersion 0',
      () => ({ resourceVersionMatch: 'Exact', resourceVersion: 0 }),
      invalidOptions('ListOptions', [
        forbidden(
          'resourceVersionMatch',
          'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        ),
      ]),
    ],
    [
      'NotOlderThan without resourceVersion',
      () => ({ resourceVersionMatch: 'NotOlderThan', limit: 2 }),
      invalidOptions('ListOptions', [unlessVersion]),
    ],
    [
      'an unknown match',
      ({ earlier }) => ({ resourceVersionMatch: 'Foo', resourceVersion: earlier }),
      invalidOptions('ListOptions', [unsupportedMatch]),
    ],
    [
      'an unknown match without resourceVersion: both causes',
      () => ({ resourceVersionMatch: 'Foo' }),
      invalidOptions('ListOptions', [unlessVersion, unsupportedMatch]),
    ],
    [
      'sendInitialEvents',
      () => ({ sendInitialEvents: true }),
      invalidOptions('ListOptions', [
        forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'),
      ]),
    ],
    [
      'sendInitialEvents with a match and no resourceVersion: both causes',
      () => ({ sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' }),
      invalidOptions('ListOptions', [
        unlessVersion,
        forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'),
      ]),
    ],
    [
      'a resourceVersion that is no number, Exact',
      () => ({ resourceVersion: 'abc', resourceVersionMatch: 'Exact' }),
      badVersion('abc'),
    ],
    [
      'a resourceVersion that is no number, with limit',
      () => ({ resourceVersion: '1.5', limit: 1 }),
      badVersion('1.5'),
    ],
    ['a limit that is no number', () => ({ limit: 'abc' }), badInteger('abc')],
    ['an empty limit', () => ({ limit: '' }), badInteger('')],
    ['a timeoutSeconds that is no number', () => ({ timeoutSeconds: 'abc' }), badInteger('abc')],
    [
      'a timeout that is no duration',
      () => ({ timeout: 'abc' }),
      {
        code: 400,
        reason: 'BadRequest',
        message: 'invalid timeout specified in the request URL - time: invalid duration "abc"',
      },
    ],
  ];

  test.for(rows)('is rejected for: %s', async ([, query, status], { ns }) => {
    const seeded = await seed(ns);
    expectStatus(await ns.api.get(seeded.path, query(seeded)), status);
  });
});

describe.concurrent('a resourceVersion that is no number', () => {
  test.for(['abc', '-1'])('is rejected: %s', async (version, { ns, minor }) => {
    const { path } = await seed(ns);
    const response = await ns.api.get(path, { resourceVersion: version });
    if (minor > 32) expectStatus(response, badVersion(version));
    else {
      const message = `resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": invalid syntax`;
      expectStatus(response, { code: 500, message });
    }
  });
});

describe.concurrent('a revision that the store has not reached', () => {
  const rows: [title: string, query: (future: string) => Query, isExact: boolean][] = [
    ['not older', (future) => ({ resourceVersion: future }), false],
    ['NotOlderThan', (future) => ({ resourceVersion: future, resourceVersionMatch: 'NotOlderThan' }), false],
    ['Exact', (future) => ({ resourceVersion: future, resourceVersionMatch: 'Exact' }), true],
    ['exact by limit', (future) => ({ resourceVersion: future, limit: 2 }), true],
    ['in a continue token', (future) => ({ continue: futureToken(future) }), true],
  ];
  /** Of an exact list before 1.34: etcd's own error, at once. */
  const fromEtcd = { code: 500, message: 'etcdserver: mvcc: required revision is a future revision' };

  function futureToken(future: string): string {
    return Buffer.from(`{"v":"meta.k8s.io/v1","rv":${future},"start":"a\\u0000"}`).toString('base64url');
  }

  test.for(rows)('is a 504 with a retry time for a list: %s', async ([, query, isExact], { ns, minor }) => {
    const path = ns.path('configmaps');
    const now = (await ns.api.get(path)).json.metadata.resourceVersion;
    const future = String(BigInt(now) + 1_000_000n);
    const expected = isExact && minor < 34 ? fromEtcd : tooLarge(future);
    expectStatus(await ns.api.get(path, query(future)), expected);
  });

  test('is a 504 with a retry time for one object', async ({ ns }) => {
    const now = (await ns.create('configmaps', configMap('a'))).metadata.resourceVersion;
    const future = String(BigInt(now) + 1_000_000n);
    const response = await ns.api.get(ns.path('configmaps', 'a'), { resourceVersion: future });
    expectStatus(response, tooLarge(future));
  });

  test('is waited for if it is reached in time', async ({ ns }) => {
    const path = ns.path('configmaps');
    const now = (await ns.create('configmaps', configMap('a'))).metadata.resourceVersion;
    const soon = String(BigInt(now) + 3n);
    const waiting = ns.api.get(path, { resourceVersion: soon });
    let reached = now;
    for (let i = 0; BigInt(reached) < BigInt(soon); i += 1) {
      reached = (await ns.create('configmaps', configMap(`b${i}`))).metadata.resourceVersion;
    }
    const response = await waiting;
    expect(response.status).toBe(200);
    expect(BigInt(response.json.metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(soon));
  });

  function tooLarge(version: string): ExpectedStatus {
    return {
      code: 504,
      reason: 'Timeout',
      message: new RegExp(`^Timeout: Too large resource version: ${version}, current: [1-9][0-9]*$`),
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    };
  }
});
