/** PATCH: merge, JSON and strategic patches; for apply see apply.test.ts. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import { expectStatus, invalid, invalidOptions, repeatedBefore37 } from '../harness/expect-status.js';
import { configMap, deployment, pod } from '../harness/objects.js';
import { JSON_PATCH, MERGE_PATCH, type Sandbox, STRATEGIC_PATCH } from '../harness/sandbox.js';

async function seed(ns: Sandbox): Promise<string> {
  await ns.create('configmaps', configMap('a', { data: { k: '1', l: '1' } }));
  return ns.path('configmaps', 'a');
}

describe('a merge patch', () => {
  test('adds, changes, and removes by null', async ({ ns }) => {
    const path = await seed(ns);
    const response = await ns.patch(path, {
      data: { k: '2', l: null, m: '3' },
      metadata: { labels: { x: 'y' } },
    });
    expect(response.status).toBe(200);
    expect(response.json.data).toEqual({ k: '2', m: '3' });
    expect(response.json.metadata.labels).toEqual({ x: 'y' });
    expect(response.text).toBe((await ns.api.get(path)).text);
  });

  test('removes a complete field by null', async ({ ns }) => {
    const path = await seed(ns);
    const { json } = await ns.patch(path, { data: null });
    expect(json).not.toHaveProperty('data');
  });

  test('replaces lists completely', async ({ ns }) => {
    await ns.create(
      'configmaps',
      configMap('a', { metadata: { finalizers: ['kubeflect.dev/x', 'kubeflect.dev/y'] } }),
    );
    const { json } = await ns.patch(ns.path('configmaps', 'a'), {
      metadata: { finalizers: ['kubeflect.dev/z'] },
    });
    expect(json.metadata.finalizers).toEqual(['kubeflect.dev/z']);
  });

  test('that changes nothing keeps the resourceVersion', async ({ ns }) => {
    const path = await seed(ns);
    const before = await ns.api.get(path);
    expect((await ns.patch(path, {})).text).toBe(before.text);
    expect((await ns.patch(path, { data: { k: '1', absent: null } })).text).toBe(before.text);
  });

  test('with a resourceVersion is conditional', async ({ ns }) => {
    const path = await seed(ns);
    const { resourceVersion } = (await ns.api.get(path)).json.metadata;
    const fits = await ns.patch(path, { metadata: { resourceVersion }, data: { k: '2' } });
    expect(fits.status).toBe(200);
    expectStatus(await ns.patch(path, { metadata: { resourceVersion }, data: { k: '3' } }), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('that is a list is a 400', async ({ ns }) => {
    const path = await seed(ns);
    expectStatus(await ns.patch(path, '[]'), {
      code: 400,
      reason: 'BadRequest',
      message:
        'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    });
  });

  test('that changes the name is a 400', async ({ ns }) => {
    const path = await seed(ns);
    expectStatus(await ns.patch(path, { metadata: { name: 'b' } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'the name of the object (b) does not match the name on the URL (a)',
    });
  });

  test('that changes the uid is a 422', async ({ ns, minor }) => {
    const path = await seed(ns);
    const uid = 'aaaaaaaa-0000-4000-8000-000000000000';
    const cause = {
      reason: 'FieldValueInvalid',
      message: `Invalid value: "${uid}": field is immutable`,
      field: 'metadata.uid',
    };
    expectStatus(
      await ns.patch(path, { metadata: { uid } }),
      repeatedBefore37(minor, invalid('ConfigMap', '', 'a', [cause])),
    );
  });

  test('with a former version and another uid, as one for a former object of that name, is a 409', async ({
    ns,
  }) => {
    const path = await seed(ns);
    const { resourceVersion, uid } = (await ns.api.get(path)).json.metadata;
    await ns.delete(path);
    await seed(ns);
    expectStatus(await ns.patch(path, { metadata: { resourceVersion, uid }, data: { k: '2' } }), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('that sets a field to the wrong type is a 422 about the patch', async ({ ns }) => {
    const path = await seed(ns);
    const response = await ns.patch(path, { data: ['x'] });
    expect(response.status).toBe(422);
    expect(response.json).toMatchObject({
      reason: 'Invalid',
      message: expect.stringMatching(
        /^ "" is invalid: patch: Invalid value: "\{.*json: cannot unmarshal array into Go struct field ConfigMap\.data of type map\[string\]string$/s,
      ),
      details: { causes: [{ reason: 'FieldValueInvalid', field: 'patch' }] },
    });
  });

  test('of an unknown field gets a warning', async ({ ns }) => {
    const path = await seed(ns);
    const before = await ns.api.get(path);
    const response = await ns.patch(path, { nope: 1 });
    expect(response.headers['warning']).toBe('299 - "unknown field \\"nope\\""');
    expect(response.text).toBe(before.text);
  });

  test('with dryRun=All returns the change and does not store it', async ({ ns }) => {
    const path = await seed(ns);
    const response = await ns.patch(path, { data: { k: '2' } }, { query: { dryRun: 'All' } });
    expect(response.json.data).toEqual({ k: '2', l: '1' });
    expect((await ns.api.get(path)).json.data).toEqual({ k: '1', l: '1' });
  });

  test('of an object that does not exist is a 404', async ({ ns }) => {
    expectStatus(await ns.patch(ns.path('configmaps', 'nope'), {}), {
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "nope" not found',
      details: { name: 'nope', kind: 'configmaps' },
    });
  });

  test('is retried by the server: twenty concurrent ones all succeed', async ({ ns }) => {
    const path = await seed(ns);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ns.patch(path, { data: { [`n${i}`]: '1' } })),
    );
    const statuses = new Set(responses.map(({ status }) => status));
    expect([...statuses]).toEqual([200]);
    expect(Object.keys((await ns.api.get(path)).json.data ?? {})).toHaveLength(22);
  });
});

describe('a JSON patch', () => {
  const rows: [title: string, operations: unknown[], data: Record<string, string>][] = [
    ['add', [{ op: 'add', path: '/data/m', value: '3' }], { k: '1', l: '1', m: '3' }],
    ['replace', [{ op: 'replace', path: '/data/k', value: '2' }], { k: '2', l: '1' }],
    [
      'replace of an absent key adds it',
      [{ op: 'replace', path: '/data/m', value: '2' }],
      { k: '1', l: '1', m: '2' },
    ],
    ['remove', [{ op: 'remove', path: '/data/k' }], { l: '1' }],
    ['move', [{ op: 'move', from: '/data/k', path: '/data/m' }], { l: '1', m: '1' }],
    ['copy', [{ op: 'copy', from: '/data/k', path: '/data/m' }], { k: '1', l: '1', m: '1' }],
    [
      'test, then change',
      [
        { op: 'test', path: '/data/k', value: '1' },
        { op: 'replace', path: '/data/k', value: '2' },
      ],
      { k: '2', l: '1' },
    ],
  ];
  test.for(rows)('supports %s', async ([, operations, data], { ns }) => {
    const path = await seed(ns);
    const response = await ns.patch(path, operations, { type: JSON_PATCH });
    expect(response.status).toBe(200);
    expect(response.json.data).toEqual(data);
  });

  test('may have escapes in a path: ~1 is a slash', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { metadata: { annotations: { 'kubeflect.dev/x': '1' } } }));
    const operations = [{ op: 'replace', path: '/metadata/annotations/kubeflect.dev~1x', value: '2' }];
    const { json } = await ns.patch(ns.path('configmaps', 'a'), operations, { type: JSON_PATCH });
    expect(json.metadata.annotations).toEqual({ 'kubeflect.dev/x': '2' });
  });

  test('appends to a list with a dash in a path', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { metadata: { finalizers: ['kubeflect.dev/x'] } }));
    const operations = [{ op: 'add', path: '/metadata/finalizers/-', value: 'kubeflect.dev/y' }];
    const { json } = await ns.patch(ns.path('configmaps', 'a'), operations, { type: JSON_PATCH });
    expect(json.metadata.finalizers).toEqual(['kubeflect.dev/x', 'kubeflect.dev/y']);
  });

  test.for([
    ['a test that fails', [{ op: 'test', path: '/data/k', value: 'no' }]],
    ['remove of an absent key', [{ op: 'remove', path: '/data/nope' }]],
    ['an unknown operation', [{ op: 'frob', path: '/data/k' }]],
    ['add below nothing', [{ op: 'add', path: '/nope/k', value: '1' }]],
  ] satisfies [string, unknown[]][])(
    'that cannot be applied is a 422: %s',
    async ([, operations], { ns }) => {
      const path = await seed(ns);
      expectStatus(await ns.patch(path, operations, { type: JSON_PATCH }), {
        code: 422,
        reason: 'Invalid',
        message: 'the server rejected our request due to an error in our request',
        details: {},
      });
    },
  );

  test('that is not a list is a 400', async ({ ns }) => {
    const path = await seed(ns);
    expectStatus(await ns.patch(path, {}, { type: JSON_PATCH }), {
      code: 400,
      reason: 'BadRequest',
      message:
        'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    });
  });

  test('of more than 10,000 operations is a 413', async ({ ns }) => {
    const path = await seed(ns);
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'add', path: '/data/k', value: '1' }));
    expectStatus(await ns.patch(path, operations, { type: JSON_PATCH }), {
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });
});

describe('a strategic merge patch', () => {
  test('merges containers by name', async ({ ns }) => {
    await ns.create('deployments', deployment('a'));
    const patch = {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'side', image: 'side:1' },
              { name: 'main', image: 'main:2' },
            ],
          },
        },
      },
    };
    const { json } = await ns.patch(ns.path('deployments', 'a', 'apps/v1'), patch, { type: STRATEGIC_PATCH });
    const { template } = json.spec as {
      template: { spec: { containers: { name: string; image: string }[] } };
    };
    const images = template.spec.containers.map(({ name, image }) => `${name} ${image}`).sort();
    expect(images).toEqual(['main main:2', 'side side:1']);
  });

  test('merges conditions by type in a status', async ({ ns }) => {
    await ns.create('pods', pod('a'));
    const path = `${ns.path('pods', 'a')}/status`;
    const condition = (type: string, status: string) => ({ status: { conditions: [{ type, status }] } });
    await ns.patch(path, condition('Ready', 'False'), { type: STRATEGIC_PATCH });
    await ns.patch(path, condition('Initialized', 'True'), { type: STRATEGIC_PATCH });
    const { json } = await ns.patch(path, condition('Ready', 'True'), { type: STRATEGIC_PATCH });
    const { conditions } = json.status as { conditions: { type: string; status: string }[] };
    expect(conditions.map(({ type, status }) => `${type} ${status}`).sort()).toEqual([
      'Initialized True',
      'Ready True',
    ]);
  });

  test('is like a merge patch where nothing has a merge key', async ({ ns }) => {
    const path = await seed(ns);
    const { json } = await ns.patch(path, { data: { k: null, m: '3' } }, { type: STRATEGIC_PATCH });
    expect(json.data).toEqual({ l: '1', m: '3' });
  });

  test('is a 415 for a custom resource', async ({ ns, widgets }) => {
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w'));
    expectStatus(await ns.patch(widgets.pathIn(ns, 'w'), {}, { type: STRATEGIC_PATCH }), {
      code: 415,
      reason: 'UnsupportedMediaType',
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    });
  });
});

describe('an invalid patch', () => {
  test('is a 415 for another media type', async ({ ns }) => {
    const path = await seed(ns);
    expectStatus(await ns.patch(path, {}, { type: 'application/json' }), {
      code: 415,
      reason: 'UnsupportedMediaType',
      message: '415: Unsupported Media Type',
      details: {},
    });
  });

  test('is a 422 with force if it is not an apply', async ({ ns }) => {
    const path = await seed(ns);
    expectStatus(
      await ns.patch(path, {}, { type: MERGE_PATCH, query: { force: true } }),
      invalidOptions('PatchOptions', [
        {
          reason: 'FieldValueForbidden',
          message: 'Forbidden: may not be specified for non-apply patch',
          field: 'force',
        },
      ]),
    );
  });
});

describe('a patch that is not JSON', () => {
  const SYNTAX_ERROR = "invalid character 'n' looking for beginning of object key string";
  const cases: [type: string, before37: string][] = [
    [MERGE_PATCH, `error decoding patch: ${SYNTAX_ERROR}`],
    [JSON_PATCH, `error decoding patch: ${SYNTAX_ERROR}`],
    [STRATEGIC_PATCH, SYNTAX_ERROR],
  ];

  test.for(cases)('is a 400: %s', async ([type, before37], { ns, minor }) => {
    const path = await seed(ns);
    const message = minor < 37 ? before37 : 'invalid JSON patch';
    expectStatus(await ns.patch(path, '{nope', { type }), { code: 400, reason: 'BadRequest', message });
  });

  test.for(cases)(
    'of an object that does not exist is a 400 as of 1.37: %s',
    async ([type], { ns, minor }) => {
      const response = await ns.patch(ns.path('configmaps', 'none'), '{nope', { type });
      expect(response.json).toMatchObject(
        minor < 37 ? { code: 404, reason: 'NotFound' } : { code: 400, message: 'invalid JSON patch' },
      );
    },
  );
});
