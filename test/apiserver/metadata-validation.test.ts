import { describe, expect, it } from 'vitest';
import { resourceOf, validationCauses } from './support/validation-causes.js';

// Fields and messages are those of kube-apiserver 1.36.3.
describe('validation of metadata', () => {
  it.each([
    [
      'ConfigMap',
      { name: 'Bad_Name' },
      ['metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain'],
    ],
    ['ConfigMap', {}, ['metadata.name: Required value: name or generateName is required']],
    [
      'ConfigMap',
      { name: 'a'.repeat(254) },
      [`metadata.name: Invalid value: "${'a'.repeat(254)}": must be no more than 253 characters`],
    ],
    ['Namespace', { name: 'a.b' }, ['metadata.name: Invalid value: "a.b": must not contain dots']],
    [
      'Service',
      { name: 'A_' },
      ['metadata.name: Invalid value: "A_": a lowercase RFC 1123 label', 'spec.ports: Required value'],
    ],
    ['Widget', { name: 'A' }, ['metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain']],
    [
      'ConfigMap',
      { name: 'Bad_x', generateName: 'Bad_' },
      [
        'metadata.generateName: Invalid value: "Bad_": a lowercase RFC 1123 subdomain',
        'metadata.name: Invalid value: "Bad_x": a lowercase RFC 1123 subdomain',
      ],
    ],
    ['ConfigMap', { name: 'ok-x', generateName: 'ok-' }, []],
    [
      'ConfigMap',
      { name: 'x', labels: { 'a b': 'c d' } },
      [
        'metadata.labels: Invalid value: "a b": name part',
        "metadata.labels: Invalid value: \"c d\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      ],
    ],
    [
      'ConfigMap',
      { name: 'x', labels: { a: 'x'.repeat(64) } },
      [`metadata.labels: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`],
    ],
    [
      'ConfigMap',
      { name: 'x', annotations: { 'a b': 'x', 'A/b': 'y' } },
      ['metadata.annotations: Invalid value: "a b": name part'],
    ],
    [
      'ConfigMap',
      { name: 'x', annotations: { a: 'x'.repeat(262_144) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    [
      'ConfigMap',
      { name: 'x', finalizers: ['foo', 'a.b/c'] },
      [
        'metadata.finalizers[0]: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    [
      'ConfigMap',
      { name: 'x', ownerReferences: [{ apiVersion: 'a/b/c', kind: '', name: '', uid: '' }] },
      [
        'metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>',
        'metadata.ownerReferences[0].kind: Required value: must not be empty',
        'metadata.ownerReferences[0].name: Required value: must not be empty',
        'metadata.ownerReferences[0].uid: Required value: must not be empty',
      ],
    ],
    ['Widget', { name: 'x', finalizers: ['foo'] }, []],
    ['Node', { name: 'x', namespace: 'y' }, ['metadata.namespace: Forbidden: not allowed on this type']],
  ] as [string, Record<string, unknown>, string[]][])(
    'reports the causes of a %s with %j',
    (kind, metadata, expected) => {
      const namespace = resourceOf(kind).isNamespaced ? { namespace: 'ns' } : {};
      expect(validationCauses(kind, { metadata: { ...namespace, ...metadata } })).toEqual(expected);
    },
  );

  it('accepts only one owner as controller', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'u', controller: true };
    const object = {
      metadata: { name: 'x', namespace: 'ns', ownerReferences: [owner, { ...owner, uid: 'v' }] },
    };
    expect(validationCauses('ConfigMap', object)).toEqual([
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"x","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"x","uid":"v","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/x and Pod/x',
    ]);
  });

  it('reports each cause of an update once, but several times for custom resources, as the real server does', () => {
    const previous = { metadata: { name: 'x', namespace: 'ns', uid: 'u' } };
    const update = (kind: string, metadata: Record<string, unknown>): string[] =>
      validationCauses(kind, { metadata: { ...previous.metadata, ...metadata } }, previous);
    const isImmutable = 'metadata.uid: Invalid value: "v": field is immutable';
    expect(update('ConfigMap', { uid: 'v' })).toEqual([isImmutable]);
    expect(update('Widget', { uid: 'v' })).toEqual([isImmutable, isImmutable]);
    expect(update('ConfigMap', { labels: { 'a b': '' } })).toHaveLength(1);
    expect(update('Widget', { labels: { 'a b': '' } })).toHaveLength(3);
    expect(update('ConfigMap', { finalizers: ['foo'] })).toHaveLength(1);
  });

  it('rejects new finalizers while the object is being deleted', () => {
    const metadata = {
      name: 'x',
      namespace: 'ns',
      deletionTimestamp: '2026-11-17T16:00:00Z',
      finalizers: ['a/b'],
    };
    const next = { metadata: { ...metadata, finalizers: ['a/b', 'c/d'] } };
    expect(validationCauses('ConfigMap', next, { metadata })[0]).toBe(
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d"}',
    );
    expect(
      validationCauses('ConfigMap', { metadata: { ...metadata, finalizers: [] } }, { metadata }),
    ).toEqual([]);
  });
});
