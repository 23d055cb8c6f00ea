/** Server-side apply that is refused, or only if a condition holds. */

import { describe, expect } from 'vitest';
import { accepted, apply, applyData } from '../harness/apply.js';
import { either, test } from '../harness/case.js';
import {
  type ExpectedStatus,
  expectStatus,
  invalid,
  invalidOptions,
  repeatedBefore37,
} from '../harness/expect-status.js';
import { configMap, type Manifest, pod } from '../harness/objects.js';
import { APPLY_PATCH } from '../harness/sandbox.js';

function badRequest(message: string): ExpectedStatus {
  return { code: 400, reason: 'BadRequest', message };
}

describe('an apply with a precondition', () => {
  test('is a conflict if the resourceVersion is another', async ({ ns }) => {
    const { metadata } = await applyData(ns, { k: '1' });
    const path = ns.path('configmaps', 'a');
    const body = (resourceVersion: string, k: string): Manifest =>
      configMap('a', { metadata: { resourceVersion }, data: { k } });
    accepted(await apply(ns, path, body(metadata.resourceVersion, '2')));
    expectStatus(await apply(ns, path, body(metadata.resourceVersion, '3')), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', kind: 'configmaps' },
    });
    expectStatus(await apply(ns, path, body('abc', '3')), {
      code: 500,
      message: 'strconv.ParseUint: parsing "abc": invalid syntax',
    });
  });

  test('is a conflict if the uid is another', async ({ ns, minor }) => {
    const { metadata } = await applyData(ns, { k: '1' });
    const path = ns.path('configmaps', 'a');
    accepted(await apply(ns, path, configMap('a', { metadata: { uid: metadata.uid } })));
    const cause = {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: "x": field is immutable',
      field: 'metadata.uid',
    };
    expectStatus(
      await apply(ns, path, configMap('a', { metadata: { uid: 'x' } })),
      repeatedBefore37(minor, invalid('ConfigMap', '', 'a', [cause])),
    );
  });
});

describe('an invalid apply', () => {
  test('is a 422 without a fieldManager', async ({ ns }) => {
    const response = await ns.patch(ns.path('configmaps', 'a'), configMap('a'), { type: APPLY_PATCH });
    expectStatus(
      response,
      invalidOptions('PatchOptions', [
        {
          reason: 'FieldValueRequired',
          message: 'Required value: is required for apply patch',
          field: 'fieldManager',
        },
      ]),
    );
  });

  const cases: [title: string, body: unknown, expected: ExpectedStatus][] = [
    ['that is empty', '', badRequest('invalid object type: /, Kind=')],
    ['without a kind', { apiVersion: 'v1' }, badRequest('invalid object type: /v1, Kind=')],
    ['of another kind', pod('a'), badRequest('invalid object type: /v1, Kind=Pod')],
    [
      'of another version',
      { ...configMap('a'), apiVersion: 'x/v2' },
      badRequest('invalid object type: x/v2, Kind=ConfigMap'),
    ],
    [
      'with managedFields',
      configMap('a', { metadata: { managedFields: [] } }),
      badRequest('metadata.managedFields must be nil'),
    ],
    [
      'of another name',
      configMap('b'),
      badRequest('the name of the object (b) does not match the name on the URL (a)'),
    ],
    [
      'without a name',
      { ...configMap('a'), metadata: {} },
      badRequest('the name of the object (a based on URL) was undeterminable: name must be provided'),
    ],
    [
      'of another namespace',
      configMap('a', { metadata: { namespace: 'other' } }),
      badRequest('the namespace of the provided object does not match the namespace sent on the request'),
    ],
    ['with an unknown field', configMap('a', { nope: 1 }), untyped('.nope: field not declared in schema')],
    [
      'with a number for a string',
      configMap('a', { data: { k: 1 } }),
      untyped('.data.k: expected string, got &value.valueUnstructured{Value:1}'),
    ],
    ['with a list for a map', configMap('a', { data: ['x'] }), untyped('.data: expected map, got &{[x]}')],
    [
      'with an item twice',
      configMap('a', { metadata: { finalizers: ['x.dev/y', 'x.dev/y'] } }),
      untyped('.metadata.finalizers: duplicate entries for key [="x.dev/y"]'),
    ],
  ];

  function untyped(why: string): ExpectedStatus {
    return { code: 500, message: `failed to create typed patch object (/a; /v1, Kind=ConfigMap): ${why}` };
  }

  test.for(cases)('is rejected %s', async ([, body, expected], { ns }) => {
    const path = ns.path('configmaps', 'a');
    expectStatus(await apply(ns, path, body), expected);
    expect((await ns.api.get(path)).status).toBe(404);
  });

  test('is rejected that is a list', async ({ ns, minor }) => {
    const what = minor < 37 ? 'YAML' : 'patch';
    expectStatus(
      await apply(ns, ns.path('configmaps', 'a'), []),
      badRequest(
        `error decoding ${what}: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}`,
      ),
    );
  });

  test('may be rejected in YAML that is not JSON', async ({ ns }) => {
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';
    const response = await apply(ns, ns.path('configmaps', 'a'), yaml);
    await either(
      'our embedded server speaks JSON only, and says so with a 415',
      { name: 'read', check: () => expect(response.status).toBe(201) },
      {
        name: 'refused',
        check: () => expect(response.json).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' }),
      },
    );
  });

  test('is rejected with an item that has the default key of another', async ({ ns }) => {
    const ports = [
      { port: 80, name: 'a' },
      { port: 80, name: 'b', protocol: 'TCP' },
    ];
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports } };
    expectStatus(await apply(ns, ns.path('services', 'a'), body), {
      code: 500,
      message:
        'failed to create typed patch object (/a; /v1, Kind=Service): .spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
    });
  });

  test('with a duplicate key gets a warning, or is rejected in strict mode', async ({ ns, minor }) => {
    const path = ns.path('configmaps', 'a');
    const text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},\n"data":{"k":"1","k":"2"}}';
    expectStatus(
      await apply(ns, path, text, { fieldValidation: 'Strict' }),
      badRequest(
        `error strict decoding ${minor < 37 ? 'YAML' : 'patch'}: error converting YAML to JSON: yaml: unmarshal errors:\n  line 2: key "k" already set in map`,
      ),
    );
    const response = await apply(ns, path, text);
    expect(response.json.data).toEqual({ k: '2' });
    expect(response.headers['warning']).toBe('299 - "line 2: key \\"k\\" already set in map"');
  });
});
