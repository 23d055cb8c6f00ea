/** Request bodies in protobuf, which is what typed Go clients send; the answers asked for are JSON. */

import { describe, expect } from 'vitest';
import { double, entry, envelope, integer, nested, PROTOBUF } from '../../support/objects/protobuf.js';
import { test } from '../harness/case.js';
import type { ApiResponse } from '../harness/client.js';
import { expectStatus } from '../harness/expect-status.js';
import { configMap, type KubeObject } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';
import { schemeName, undecodableOptions } from '../harness/versions.js';

const MISFIT = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: ';
const UNRECOGNIZED = 'the object provided is unrecognized (must be of type ConfigMap): ';
const NO_PREFIX = 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]';

function send(ns: Sandbox, method: string, path: string, body: Buffer, query = {}): Promise<ApiResponse> {
  return ns.api.request(method, path, { body, query, headers: { 'Content-Type': PROTOBUF } });
}

function named(name: string): Buffer {
  return nested(1, nested(1, name));
}

/** Without what differs from object to object. */
function content({ metadata, ...rest }: KubeObject): unknown {
  const { name, uid, resourceVersion, creationTimestamp, managedFields, ...meta } = metadata;
  return { ...rest, metadata: meta, fields: managedFields?.map(({ fieldsV1 }) => fieldsV1) };
}

describe('create with protobuf', () => {
  test('stores the same as JSON, including managedFields', async ({ ns }) => {
    const json = await ns.create(
      'configmaps',
      configMap('json', { data: { a: '', b: '2' }, immutable: true }),
    );
    const raw = [named('proto'), entry(2, 'a', ''), entry(2, 'b', '2'), integer(4, 1)];
    const response = await send(ns, 'POST', ns.path('configmaps'), envelope('v1', 'ConfigMap', ...raw));
    expect(response.status).toBe(201);
    expect(response.headers['content-type']).toBe('application/json');
    expect(content(response.json)).toEqual(content(json));
  });

  test('accepts quantities, ports by number and name, and fields that JSON inlines', async ({ ns }) => {
    const limits = nested(8, entry(1, 'cpu', nested(1, '0.5')), entry(1, 'memory', nested(1, '1024Mi')));
    const action = (port: Buffer): Buffer => nested(1, nested(2, nested(1, '/'), nested(2, port)));
    const byName = nested(10, action(Buffer.concat([integer(1, 1), nested(3, 'web')])));
    const byNumber = nested(11, action(integer(2, 80)));
    const port = nested(6, nested(1, 'web'), integer(3, 80));
    const container = nested(2, nested(1, 'main'), nested(2, 'i:1'), limits, byName, byNumber, port);
    const volume = nested(1, nested(1, 'v'), nested(2, nested(19, nested(1, nested(1, 'settings')))));
    const body = envelope('v1', 'Pod', named('a'), nested(2, volume, container, integer(4, 0)));
    const response = await send(ns, 'POST', ns.path('pods'), body);
    expect(response.status).toBe(201);
    expect(response.json.spec).toMatchObject({
      terminationGracePeriodSeconds: 0,
      volumes: [{ name: 'v', configMap: { name: 'settings' } }],
      containers: [
        {
          resources: { limits: { cpu: '500m', memory: '1Gi' } },
          livenessProbe: { httpGet: { path: '/', port: 'web' } },
          readinessProbe: { httpGet: { path: '/', port: 80 } },
        },
      ],
    });
  });

  test('skips unknown fields, even with strict validation', async ({ ns }) => {
    const unknown = [integer(78, 1), nested(79, 'x'), double(80, 1)];
    const body = envelope('v1', 'ConfigMap', ...unknown, named('a'));
    const response = await send(ns, 'POST', ns.path('configmaps'), body, { fieldValidation: 'Strict' });
    expect(response.status).toBe(201);
  });

  test('merges a repeated message', async ({ ns }) => {
    const twice = [named('a'), nested(1, entry(11, 'l', '1')), entry(2, 'k', '1'), entry(2, 'k', '2')];
    const response = await send(ns, 'POST', ns.path('configmaps'), envelope('v1', 'ConfigMap', ...twice));
    expect(response.json).toMatchObject({ metadata: { name: 'a', labels: { l: '1' } }, data: { k: '2' } });
  });

  test('uses the type of the path when the body has none', async ({ ns }) => {
    const body = Buffer.concat([Buffer.from('k8s\0'), nested(2, named('a'))]);
    const response = await send(ns, 'POST', ns.path('configmaps'), body);
    expect(response.json).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } });
  });
});

test('update with protobuf replaces the object', async ({ ns }) => {
  await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
  const body = envelope('v1', 'ConfigMap', named('a'), entry(2, 'k', '2'));
  const response = await send(ns, 'PUT', ns.path('configmaps', 'a'), body);
  expect(response.status).toBe(200);
  expect(response.json.data).toEqual({ k: '2' });
});

describe('an invalid protobuf body is rejected', () => {
  const raw = (...parts: Buffer[]): Buffer => envelope('v1', 'ConfigMap', ...parts);

  test.for([
    ['that is empty', Buffer.alloc(0), `${UNRECOGNIZED}empty data (<empty>)`],
    ['without the prefix', Buffer.from('hello'), `${UNRECOGNIZED}${NO_PREFIX} (68656c6c6f)`],
    ['that is JSON', Buffer.from('{"a":1}'), `${UNRECOGNIZED}${NO_PREFIX} ({"a":1})`],
    ['of the prefix alone', Buffer.from('k8s\0'), `${UNRECOGNIZED}empty body (6b387300)`],
    [
      'with a truncated envelope',
      Buffer.from('k8s\0\n\tx'),
      `${UNRECOGNIZED}unexpected EOF (6b3873000a0978)`,
    ],
    ['with a truncated object', raw(Buffer.from([0x0a, 9, 1])), `${MISFIT}unexpected EOF`],
    ['with an endless varint', raw(Buffer.alloc(12, 0xff)), `${MISFIT}proto: integer overflow`],
    ['with a wrong wire type', raw(integer(1, 5)), `${MISFIT}proto: wrong wireType = 0 for field ObjectMeta`],
    ['with field 0', raw(Buffer.from([0, 0])), `${MISFIT}proto: ConfigMap: illegal tag 0 (wire type 0)`],
    [
      'of another kind',
      envelope('v1', 'Secret', named('a')),
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      'of another group',
      envelope('apps/v1', 'ConfigMap', named('a')),
      `${MISFIT}no kind "ConfigMap" is registered for version "apps/v1" in scheme "SCHEME"`,
    ],
  ] satisfies [string, Buffer, string][])('%s', async ([, body, expected], { ns, minor }) => {
    const response = await send(ns, 'POST', ns.path('configmaps'), body);
    const message = expected.replace('SCHEME', schemeName(minor));
    expectStatus(response, { code: 400, reason: 'BadRequest', message });
  });
});

describe('delete with protobuf', () => {
  const options = (...parts: Buffer[]): Buffer => envelope('v1', 'DeleteOptions', ...parts);

  test('follows the options', async ({ ns }) => {
    await ns.create('configmaps', configMap('a'));
    const path = ns.path('configmaps', 'a');
    expect((await send(ns, 'DELETE', path, options(nested(2, nested(1, 'other'))))).status).toBe(409);
    expect((await send(ns, 'DELETE', path, options(nested(5, 'All')))).status).toBe(200);
    expect((await ns.api.get(path)).status).toBe(200);
    expect((await send(ns, 'DELETE', path, options(integer(1, 0)))).status).toBe(200);
    expect((await ns.api.get(path)).status).toBe(404);
  });

  test('accepts options for a custom resource too', async ({ ns, widgets }) => {
    await ns.createAt(widgets.pathIn(ns), widgets.widget('a'));
    expect((await send(ns, 'DELETE', widgets.pathIn(ns, 'a'), options(nested(5, 'All')))).status).toBe(200);
    expect((await ns.api.get(widgets.pathIn(ns, 'a'))).status).toBe(200);
  });

  test.for([
    ['without the prefix', Buffer.from('hello'), NO_PREFIX],
    ['with a wrong wire type', options(integer(5, 5)), 'proto: wrong wireType = 0 for field DryRun'],
    [
      'of another kind',
      envelope('v1', 'ConfigMap'),
      'no kind "ConfigMap" is registered for version "v1" in scheme "SCHEME"',
    ],
  ] satisfies [string, Buffer, string][])('refuses a body %s', async ([, body, message], { ns, minor }) => {
    await ns.create('configmaps', configMap('a'));
    const response = await send(ns, 'DELETE', ns.path('configmaps', 'a'), body);
    expectStatus(response, undecodableOptions(minor, message.replace('SCHEME', schemeName(minor))));
  });

  test('rejects a body of an unsupported type', async ({ ns }) => {
    const headers = { 'Content-Type': 'text/plain' };
    expectStatus(await ns.delete(ns.path('configmaps', 'a'), { body: 'hello', headers }), {
      code: 415,
      reason: 'UnsupportedMediaType',
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    });
  });
});
