/** Accept, Content-Type, pretty printing. */

import { describe, expect } from 'vitest';
import { either, test } from '../harness/case.js';
import { type ExpectedStatus, expectStatus, statusText } from '../harness/expect-status.js';
import { configMap, pod } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';

async function seed(ns: Sandbox): Promise<string> {
  await ns.create('configmaps', configMap('a', { data: { k: 'v' } }));
  return ns.path('configmaps', 'a');
}

describe('pretty printing', () => {
  const rows: [
    title: string,
    query: Record<string, string>,
    headers: Record<string, string>,
    pretty: boolean,
  ][] = [
    ['not by itself', {}, {}, false],
    ['pretty=true', { pretty: 'true' }, {}, true],
    ['pretty=1', { pretty: '1' }, {}, true],
    ['pretty=false', { pretty: 'false' }, {}, false],
    ['User-Agent curl', {}, { 'User-Agent': 'curl/8.5.0' }, true],
    ['User-Agent Wget', {}, { 'User-Agent': 'Wget/1.21' }, true],
    ['User-Agent Mozilla/5.0', {}, { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)' }, true],
    ['pretty=false wins over the User-Agent', { pretty: 'false' }, { 'User-Agent': 'curl/8.5.0' }, false],
    ['pretty=0 wins over the User-Agent', { pretty: '0' }, { 'User-Agent': 'curl/8.5.0' }, false],
    ['Accept with pretty=1', {}, { Accept: 'application/json;pretty=1' }, true],
    ['a User-Agent that only contains curl', {}, { 'User-Agent': 'my-curl/8.5.0' }, false],
  ];
  test.for(rows)('depends on query and headers: %s', async ([, query, headers, pretty], { ns }) => {
    const path = await seed(ns);
    const plain = await ns.api.get(path);
    const response = await ns.api.get(path, query, headers);
    expect(response.headers['content-type']).toBe('application/json');
    expect(response.text).toBe(pretty ? JSON.stringify(plain.json, null, 2) : plain.text);
  });

  test('is applied to lists, with the same escapes as compact JSON', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: '<&>' } }));
    const response = await ns.api.get(ns.path('configmaps'), { pretty: 'true' });
    expect(response.text).toMatch(
      /^\{\n {2}"kind": "ConfigMapList",\n {2}"apiVersion": "v1",\n {2}"metadata": \{\n/,
    );
    expect(response.text).toContain('        "k": "\\u003c\\u0026\\u003e"');
    expect(response.text).toMatch(/[^\n]$/);
  });

  test('is applied to errors', async ({ ns }) => {
    const response = await ns.api.get(ns.path('configmaps', 'nope'), { pretty: 'true' });
    expect(response.status).toBe(404);
    expect(response.text).toBe(JSON.stringify(response.json, null, 2));
  });

  test('is applied to the response of writes', async ({ ns }) => {
    const response = await ns.api.request('POST', ns.path('configmaps'), {
      body: configMap('a'),
      query: { pretty: 'true' },
    });
    expect(response.text).toBe(JSON.stringify(response.json, null, 2));
  });
});

describe('Accept', () => {
  test.for([
    ['none', null],
    ['*/*', '*/*'],
    ['application/json', 'application/json'],
    ['a parameter nobody knows', 'application/json;drop=metadata.managedFields'],
    ['a charset', 'application/json;charset=utf-8'],
    ['a browser', 'text/html,application/xhtml+xml,*/*;q=0.8'],
    ['client-node', 'application/json, */*;q=0.8'],
    ['CBOR first', 'application/cbor,application/json'],
    ['a Table of the future first', 'application/json;as=Table;g=meta.k8s.io;v=v9,application/json'],
  ] satisfies [string, string | null][])('selects plain JSON: %s', async ([, accept], { ns }) => {
    const path = await seed(ns);
    const plain = await ns.api.get(path);
    const response = await ns.api.get(path, {}, { Accept: accept });
    expect(response.headers['content-type']).toBe('application/json');
    expect(response.text).toBe(plain.text);
  });

  test.for([
    ['application/yaml', 'application/yaml'],
    ['application/json;q=0.5,application/yaml;q=0.9', 'application/yaml'],
  ] satisfies [string, string][])('selects another encoding: %s', async ([accept, contentType], { ns }) => {
    const path = await seed(ns);
    const response = await ns.api.get(path, {}, { Accept: accept });
    await either(
      'our embedded server does not speak YAML, if it says so or falls back to JSON where that is accepted',
      {
        name: 'spoken',
        check: () => {
          expect(response.status).toBe(200);
          expect(response.headers['content-type']).toBe(contentType);
          expect(response.text).not.toMatch(/^\{/);
        },
      },
      {
        name: 'JSON as the second choice',
        check: () => expect([accept.includes('json'), response.status]).toEqual([true, 200]),
      },
      {
        name: 'refused',
        check: () => expect([accept.includes('json'), response.status]).toEqual([false, 406]),
      },
    );
  });

  test('of a protobuf client that accepts JSON too selects JSON for a custom resource', async ({
    ns,
    widgets,
  }) => {
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w'));
    const accept = 'application/vnd.kubernetes.protobuf,application/json';
    const response = await ns.api.get(widgets.pathIn(ns, 'w'), {}, { Accept: accept });
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('application/json');
  });
});

describe('406 Not Acceptable', () => {
  const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
  const refusal = (message: string, details?: object): ExpectedStatus => ({
    code: 406,
    reason: 'NotAcceptable',
    message,
    ...(details === undefined ? {} : { details }),
  });

  /** When even the error cannot be negotiated it is indented and has no newline at the end. */
  function indented(expected: ExpectedStatus): string {
    return JSON.stringify(JSON.parse(statusText('', expected)), null, 2);
  }

  test.for([
    ['one object', '/a', `406: Not Acceptable\n\nAvailable representations: ${types}`],
    ['a collection', '', `406: Not Acceptable\n\nAvailable representations: ${types}, ${streams}`],
  ] satisfies [string, string, string][])(
    'is the response if no clause fits for %s',
    async ([, name, message], { ns }) => {
      await seed(ns);
      const response = await ns.api.get(`${ns.path('configmaps')}${name}`, {}, { Accept: 'text/html' });
      await either(
        'the list names what a server speaks, and our embedded server may speak JSON only',
        {
          name: 'as kube-apiserver',
          check: () => expect(response.text).toBe(indented(refusal(message, {}))),
        },
        {
          name: 'JSON only',
          check: () =>
            expect(response.text).toMatch(
              /^\{\n {2}"kind": "Status",\n.*"message": "406: Not Acceptable\\n\\nAvailable representations: application\/json/s,
            ),
        },
      );
      expect(response.status).toBe(406);
      expect(response.headers['content-type']).toBe('application/json');
    },
  );

  test('is the response to application/*', async ({ ns }) => {
    const path = await seed(ns);
    const response = await ns.api.get(path, {}, { Accept: 'application/*' });
    expect(response.status).toBe(406);
    expect(response.json).toMatchObject({ reason: 'NotAcceptable', details: {} });
  });

  test.for(['as=Table;g=meta.k8s.io;v=v9', 'as=Foo;g=meta.k8s.io;v=v1', 'as=Table;g=nope;v=v1'])(
    'is the response to an unknown form: %s',
    async (form, { ns }) => {
      const path = await seed(ns);
      const response = await ns.api.get(path, {}, { Accept: `application/json;${form}` });
      expect(response.status).toBe(406);
      await either(
        'the list names what a server speaks, and our embedded server may speak JSON only',
        {
          name: 'as kube-apiserver',
          check: () =>
            expect(response.text).toBe(
              indented(refusal(`only the following media types are accepted: ${types}`)),
            ),
        },
        {
          name: 'JSON only',
          check: () =>
            expect(response.text).toBe(
              indented(refusal('only the following media types are accepted: application/json')),
            ),
        },
      );
    },
  );

  test.for([
    [
      'PartialObjectMetadata',
      '',
      'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
    ],
    [
      'PartialObjectMetadataList',
      '/a',
      'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
    ],
  ] satisfies [string, string, string][])(
    'is the response to %s of the wrong target',
    async ([form, name, message], { ns }) => {
      await seed(ns);
      const accept = `application/json;as=${form};g=meta.k8s.io;v=v1`;
      const response = await ns.api.get(`${ns.path('configmaps')}${name}`, {}, { Accept: accept });
      expect(response.status).toBe(406);
      expect(response.text).toBe(indented(refusal(message)));
    },
  );
});

describe('Content-Type', () => {
  test('may have a charset', async ({ ns }) => {
    const response = await ns.api.request('POST', ns.path('configmaps'), {
      body: configMap('a'),
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
    });
    expect(response.status).toBe(201);
  });

  test('is a 415 if it is unknown', async ({ ns }) => {
    const response = await ns.api.request('POST', ns.path('configmaps'), {
      body: 'hello',
      headers: { 'Content-Type': 'text/plain' },
    });
    const prefix =
      'the body of the request was in an unknown format - accepted media types include: application/json';
    await either(
      'the list names what a server reads, and our embedded server may read JSON only',
      {
        name: 'as kube-apiserver',
        check: () =>
          expectStatus(response, {
            code: 415,
            reason: 'UnsupportedMediaType',
            message: `${prefix}, application/yaml, application/vnd.kubernetes.protobuf`,
          }),
      },
      {
        name: 'JSON, perhaps YAML',
        check: () =>
          expectStatus(response, {
            code: 415,
            reason: 'UnsupportedMediaType',
            message: /accepted media types include: application\/json(, application\/yaml)?$/,
          }),
      },
    );
  });
});

describe('PartialObjectMetadata', () => {
  test('contains one object', async ({ ns }) => {
    await ns.create('pods', pod('a'));
    const path = ns.path('pods', 'a');
    const whole = await ns.api.get(path);
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const response = await ns.api.get(path, {}, { Accept: accept });
    expect(response.headers['content-type']).toBe('application/json');
    expect(response.text).toBe(
      `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${JSON.stringify(whole.json.metadata)}}\n`,
    );
  });

  test('as a list, also paged, has items with kind and apiVersion', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: 'v' } }));
    await ns.create('configmaps', configMap('b', { data: { k: 'v' } }));
    const path = ns.path('configmaps');
    const whole = (await ns.api.get(path, { limit: 1 })).json;
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const response = await ns.api.get(path, { limit: 1 }, { Accept: accept });
    expect(response.text).toMatch(
      /^\{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io\/v1","metadata":\{/,
    );
    expect(response.json.metadata).toMatchObject({ remainingItemCount: 1, continue: expect.any(String) });
    const item = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };
    expect(response.json.items).toEqual([{ ...item, metadata: whole.items[0]?.metadata }]);
  });

  test('as an empty list has null items', async ({ ns }) => {
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const { text } = await ns.api.get(ns.path('configmaps'), {}, { Accept: accept });
    expect(text).toMatch(
      /^\{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io\/v1","metadata":\{"resourceVersion":"[0-9]+"\},"items":null\}\n$/,
    );
  });
});
