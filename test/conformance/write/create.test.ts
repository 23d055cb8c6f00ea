/** POST: what is stored, what is filled in, what is refused. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import { type ExpectedStatus, expectStatus, invalid, invalidOptions } from '../harness/expect-status.js';
import { configMap, pod } from '../harness/objects.js';
import { schemeName } from '../harness/versions.js';

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A real server may set the time of managedFields a second earlier in what it stores. */
function withoutManagedTime(text: string): string {
  return text.replace(/"time":"[^"]*"/, '"time":""');
}

describe('a valid new object', () => {
  test('is a 201 with the same content as a GET', async ({ ns }) => {
    const path = ns.path('configmaps');
    const response = await ns.api.request('POST', path, { body: configMap('a', { data: { k: 'v' } }) });
    expect(response.status).toBe(201);
    expect(response.headers['content-type']).toBe('application/json');
    expect(response.headers['location']).toBeUndefined();
    const { uid, resourceVersion, creationTimestamp } = response.json.metadata;
    expect(uid).toMatch(UID);
    expect(response.text).toBe(
      `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"${ns.name}","uid":"${uid}","resourceVersion":"${resourceVersion}","creationTimestamp":"${creationTimestamp}","managedFields":[{"manager":"conformance","operation":"Update","apiVersion":"v1","time":"${creationTimestamp}","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:k":{}}}}]},"data":{"k":"v"}}\n`,
    );
    const stored = (await ns.api.get(`${path}/a`)).text;
    expect(withoutManagedTime(stored)).toBe(withoutManagedTime(response.text));
  });

  test('needs neither kind nor apiVersion', async ({ ns }) => {
    const created = await ns.create('configmaps', { metadata: { name: 'a' } });
    expect(created).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
  });

  test('needs no Content-Type', async ({ ns }) => {
    const response = await ns.api.request('POST', ns.path('configmaps'), {
      body: configMap('a'),
      headers: { 'Content-Type': null },
    });
    expect(response.status).toBe(201);
  });

  test('may have its namespace', async ({ ns }) => {
    const created = await ns.create('configmaps', configMap('a', { metadata: { namespace: ns.name } }));
    expect(created.metadata.namespace).toBe(ns.name);
  });

  test("loses the client's uid, creationTimestamp, deletionTimestamp and selfLink", async ({ ns, minor }) => {
    const created = await ns.create(
      'pods',
      pod('a', {
        metadata: {
          uid: 'aaaaaaaa-0000-4000-8000-000000000000',
          creationTimestamp: '2001-01-01T00:00:00Z',
          deletionTimestamp: '2001-01-01T00:00:00Z',
          deletionGracePeriodSeconds: 5,
          generation: 7,
          selfLink: '/x',
        },
      }),
    );
    const { metadata } = created;
    expect(metadata.uid).not.toBe('aaaaaaaa-0000-4000-8000-000000000000');
    expect(metadata.creationTimestamp).not.toMatch(/^2001/);
    // Before pods had a generation, the client's was kept.
    expect(metadata.generation).toBe(minor < 33 ? 7 : 1);
    expect(Object.keys(metadata)).toEqual([
      'name',
      'namespace',
      'uid',
      'resourceVersion',
      'generation',
      'creationTimestamp',
      'managedFields',
    ]);
  });

  test('without fields has no managedFields', async ({ ns }) => {
    const { metadata } = await ns.create('configmaps', configMap('a'));
    expect(Object.keys(metadata)).toEqual([
      'name',
      'namespace',
      'uid',
      'resourceVersion',
      'creationTimestamp',
    ]);
  });

  test("of a kind without generation keeps the client's generation", async ({ ns }) => {
    const { metadata } = await ns.create('configmaps', configMap('a', { metadata: { generation: 7 } }));
    expect(metadata.generation).toBe(7);
  });

  test('loses its status where it is a subresource', async ({ ns }) => {
    const created = await ns.create('pods', pod('a', { status: { phase: 'Running' } }));
    expect(created.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  test('with dryRun=All is a 201 without a revision, and is not stored', async ({ ns }) => {
    const path = ns.path('configmaps');
    const response = await ns.api.request('POST', path, { body: configMap('a'), query: { dryRun: 'All' } });
    expect(response.status).toBe(201);
    expect(response.json.metadata.uid).toMatch(UID);
    expect(response.json.metadata).not.toHaveProperty('resourceVersion');
    expect((await ns.api.get(`${path}/a`)).status).toBe(404);
  });
});

describe('generateName', () => {
  test('adds five random characters', async ({ ns }) => {
    const { metadata } = await ns.create('configmaps', { metadata: { generateName: 'gen-' } });
    expect(metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(metadata.generateName).toBe('gen-');
    expect(metadata.managedFields?.[0]?.fieldsV1).toEqual({ 'f:metadata': { 'f:generateName': {} } });
  });

  test('is truncated to 58 characters first', async ({ ns }) => {
    const generateName = `${'g'.repeat(70)}-`;
    const { metadata } = await ns.create('configmaps', { metadata: { generateName } });
    expect(metadata.name).toMatch(new RegExp(`^${'g'.repeat(58)}[bcdfghjklmnpqrstvwxz2456789]{5}$`));
    expect(metadata.generateName).toBe(generateName);
  });

  test('is ignored if there is a name', async ({ ns }) => {
    const { metadata } = await ns.create(
      'configmaps',
      configMap('a', { metadata: { generateName: 'gen-' } }),
    );
    expect(metadata.name).toBe('a');
    expect(metadata.generateName).toBe('gen-');
  });
});

describe('field validation', () => {
  const body = { ...configMap('a'), nope: 1 };

  test('warns about an unknown field and drops it', async ({ ns }) => {
    const response = await ns.api.request('POST', ns.path('configmaps'), { body });
    expect(response.status).toBe(201);
    expect(response.headers['warning']).toBe('299 - "unknown field \\"nope\\""');
    expect(response.json).not.toHaveProperty('nope');
  });

  test('warns about each of several, in the order of the body', async ({ ns }) => {
    const response = await ns.api.request('POST', ns.path('configmaps'), { body: { ...body, nix: 1 } });
    expect(response.headers['warning']).toBe(
      '299 - "unknown field \\"nope\\"", 299 - "unknown field \\"nix\\""',
    );
  });

  test('drops an unknown field silently with Ignore', async ({ ns }) => {
    const query = { fieldValidation: 'Ignore' };
    const response = await ns.api.request('POST', ns.path('configmaps'), { body, query });
    expect(response.status).toBe(201);
    expect(response.headers['warning']).toBeUndefined();
  });

  test('rejects an unknown field with Strict', async ({ ns }) => {
    const query = { fieldValidation: 'Strict' };
    expectStatus(await ns.api.request('POST', ns.path('configmaps'), { body, query }), {
      code: 400,
      reason: 'BadRequest',
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "nope"',
    });
  });

  test('warns about a duplicate field and uses the last', async ({ ns }) => {
    const text = '{"metadata":{"name":"a"},"data":{"a":"1"},"data":{"b":"2"}}';
    const response = await ns.api.request('POST', ns.path('configmaps'), { body: text });
    expect(response.headers['warning']).toBe('299 - "duplicate field \\"data\\""');
    expect(response.json.data).toMatchObject({ b: '2' });
  });

  test('is a 422 for an unknown mode', async ({ ns }) => {
    const query = { fieldValidation: 'Foo' };
    expectStatus(
      await ns.api.request('POST', ns.path('configmaps'), { body, query }),
      invalidOptions('CreateOptions', [
        {
          reason: 'FieldValueNotSupported',
          message: 'Unsupported value: "Foo": supported values: "", "Ignore", "Strict", "Warn"',
          field: 'fieldValidation',
        },
      ]),
    );
  });
});

describe('an invalid new object', () => {
  const bad = (message: string): ExpectedStatus => ({ code: 400, reason: 'BadRequest', message });
  const subdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  const rows: [title: string, body: unknown, expected: ExpectedStatus][] = [
    [
      'with a resourceVersion: 500 without reason',
      configMap('a', { metadata: { resourceVersion: '5' } }),
      { code: 500, message: 'resourceVersion should not be set on objects to be created' },
    ],
    [
      'without a name',
      { metadata: {} },
      invalid('ConfigMap', '', '', [
        {
          reason: 'FieldValueRequired',
          message: 'Required value: name or generateName is required',
          field: 'metadata.name',
        },
      ]),
    ],
    [
      'with a bad name',
      configMap('Bad_Name'),
      invalid('ConfigMap', '', 'Bad_Name', [
        {
          reason: 'FieldValueInvalid',
          message: `Invalid value: "Bad_Name": ${subdomain}`,
          field: 'metadata.name',
        },
      ]),
    ],
    [
      'of another namespace',
      configMap('a', { metadata: { namespace: 'elsewhere' } }),
      bad('the namespace of the provided object does not match the namespace sent on the request'),
    ],
    [
      'of another kind',
      pod('a'),
      bad(
        'Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion',
      ),
    ],
    [
      'that is no JSON',
      '{nope',
      bad(
        "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character 'n' looking for beginning of object key string ({nope)",
      ),
    ],
    [
      'that is empty',
      '',
      bad(
        "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
      ),
    ],
    [
      'with a field of the wrong type',
      { ...configMap('a'), data: 'x' },
      bad(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
      ),
    ],
    [
      'with more than 1 MiB of data',
      configMap('a', { data: { k: 'x'.repeat(1_048_577) } }),
      invalid('ConfigMap', '', 'a', [
        { reason: 'FieldValueTooLong', message: 'Too long: may not be more than 1048576 bytes', field: '[]' },
      ]),
    ],
    [
      'above 3 MiB of body',
      configMap('a', { data: { k: 'x'.repeat(3_145_728) } }),
      { code: 413, reason: 'RequestEntityTooLarge', message: 'Request entity too large: limit is 3145728' },
    ],
  ];
  test('is rejected: of another version', async ({ ns, minor }) => {
    const body = { ...configMap('a'), apiVersion: 'v2' };
    expectStatus(
      await ns.api.request('POST', ns.path('configmaps'), { body }),
      bad(
        `ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "${schemeName(minor)}"`,
      ),
    );
  });

  test.for(rows)('is rejected: %s', async ([, body, expected], { ns }) => {
    expectStatus(await ns.api.request('POST', ns.path('configmaps'), { body }), expected);
  });

  test('with an invalid label has a cause for the key and one for the value', async ({ ns }) => {
    const body = configMap('a', { metadata: { labels: { 'a b': 'c d' } } });
    expectStatus(
      await ns.api.request('POST', ns.path('configmaps'), { body }),
      invalid('ConfigMap', '', 'a', [
        {
          reason: 'FieldValueInvalid',
          message:
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          field: 'metadata.labels',
        },
        {
          reason: 'FieldValueInvalid',
          message:
            "Invalid value: \"c d\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
          field: 'metadata.labels',
        },
      ]),
    );
  });

  test('is rejected if it is a Pod without containers', async ({ ns }) => {
    const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: {} };
    expectStatus(
      await ns.api.request('POST', ns.path('pods'), { body }),
      invalid('Pod', '', 'a', [
        { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers' },
      ]),
    );
  });

  test('is a 409 AlreadyExists if it exists', async ({ ns }) => {
    await ns.create('configmaps', configMap('a'));
    expectStatus(await ns.api.request('POST', ns.path('configmaps'), { body: configMap('a') }), {
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('is a 409 with a reason if the old object is still being deleted', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { metadata: { finalizers: ['kubeflect.dev/hold'] } }));
    await ns.delete(ns.path('configmaps', 'a'));
    expectStatus(await ns.api.request('POST', ns.path('configmaps'), { body: configMap('a') }), {
      code: 409,
      reason: 'AlreadyExists',
      message: 'object is being deleted: configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('is a 404 of the namespace if that is missing', async ({ api }) => {
    const path = '/api/v1/namespaces/no-such-namespace/configmaps';
    expectStatus(await api.request('POST', path, { body: configMap('a') }), {
      code: 404,
      reason: 'NotFound',
      message: 'namespaces "no-such-namespace" not found',
      details: { name: 'no-such-namespace', kind: 'namespaces' },
    });
  });

  test('is rejected with an unknown dryRun', async ({ ns, minor }) => {
    const query = { dryRun: 'Some' };
    expectStatus(
      await ns.api.request('POST', ns.path('configmaps'), { body: configMap('a'), query }),
      invalidOptions('CreateOptions', [
        {
          reason: 'FieldValueNotSupported',
          message: `Unsupported value: ${minor < 34 ? '[]string{"Some"}' : '["Some"]'}: supported values: "All"`,
          field: 'dryRun',
        },
      ]),
    );
  });

  test('is rejected with a fieldManager of more than 128 bytes', async ({ ns }) => {
    const query = { fieldManager: 'm'.repeat(129) };
    expectStatus(
      await ns.api.request('POST', ns.path('configmaps'), { body: configMap('a'), query }),
      invalidOptions('CreateOptions', [
        {
          reason: 'FieldValueTooLong',
          message: 'Too long: may not be more than 128 bytes',
          field: 'fieldManager',
        },
      ]),
    );
  });
});
