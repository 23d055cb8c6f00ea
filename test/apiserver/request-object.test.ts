import { describe, expect, test } from 'vitest';
import { parseDeleteOptions } from '#dist/apiserver/requests/delete-options.js';
import { readObject } from '#dist/apiserver/requests/request-object.js';
import type { Resource } from '#dist/apiserver/resources/resource.js';
import { ResourceRegistry } from '#dist/apiserver/resources/resource-registry.js';
import { KUBECTL_BODIES } from '../support/objects/kubectl-bodies.js';
import { envelope, integer, nested, PROTOBUF } from '../support/objects/protobuf.js';

const configMaps = new ResourceRegistry().lookup('', 'v1', 'configmaps')!;
const widgets: Resource = { ...configMaps, group: 'kubeflect.dev', kind: 'Widget', isCustom: true };
const options = { manager: 'test', isDryRun: false };

const created = KUBECTL_BODIES.filter(({ kind }) => kind !== 'DeleteOptions');

test.each(created)(
  '$kind is the same object in protobuf and in JSON',
  ({ kind, apiVersion, body, object }) => {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const resource: Resource = { ...configMaps, kind, group, version };
    const json = Buffer.from(JSON.stringify({ kind, apiVersion, ...object }));
    const decoded = readObject(
      resource,
      { mediaType: PROTOBUF, bytes: Buffer.from(body, 'base64') },
      options,
    );
    expect(decoded).toEqual(readObject(resource, { mediaType: 'application/json', bytes: json }, options));
  },
);

describe('an object in protobuf', () => {
  const read = (resource: Resource, bytes: Buffer): unknown =>
    readObject(resource, { mediaType: PROTOBUF, bytes }, options);

  test('gets the type of the path without a valid type of its own', () => {
    const expected = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } };
    const metadata = nested(1, nested(1, 'a'));
    expect(read(configMaps, Buffer.concat([Buffer.from('k8s\0'), nested(2, metadata)]))).toEqual(expected);
    expect(read(configMaps, envelope('a/b/c', '', metadata))).toEqual(expected);
  });

  test('is rejected for a custom resource', () => {
    expect(() => read(widgets, envelope('kubeflect.dev/v1', 'Widget'))).toThrow(
      expect.objectContaining({ code: 415 }),
    );
  });

  test('is truncated in the error message if it is long', () => {
    const shown = '07'.repeat(30);
    expect(() => read(configMaps, Buffer.alloc(31, 7))).toThrow(
      `expected prefix [107 56 115 0] (${shown} ...)`,
    );
  });
});

describe('DeleteOptions in protobuf', () => {
  const parse = (...parts: Buffer[]): unknown =>
    parseDeleteOptions(new URLSearchParams('gracePeriodSeconds=5'), {
      mediaType: PROTOBUF,
      bytes: envelope('v1', 'DeleteOptions', ...parts),
    });

  test('distinguish zero seconds from none, and take precedence over the query', () => {
    expect(parse(integer(1, 0))).toEqual({ isDryRun: false, gracePeriodSeconds: 0 });
    expect(parse()).toEqual({ isDryRun: false });
  });

  test('have all fields that JSON has', () => {
    const preconditions = nested(2, nested(1, 'u'), nested(2, '7'));
    expect(parse(preconditions, nested(4, 'Foreground'), nested(5, 'All'))).toEqual({
      isDryRun: true,
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u', resourceVersion: '7' },
    });
  });
});
