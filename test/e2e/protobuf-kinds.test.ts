/** Every built-in kind that can be created on a real API server, with all fields that its validation accepts. */

import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import {
  Engine,
  type InformerOptions,
  type KubeflectError,
  type KubernetesObject,
  type SharedInformer,
} from 'kubeflect';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { parseJson } from '#dist/apiserver/json.js';
import { encodeObject, type TypeMeta } from '#dist/apiserver/protobuf/encode-envelope.js';
import { protobufMessageOfKind } from '#dist/src/kube/protobuf-schema/protobuf-kind.js';
import { ApiClient } from '../conformance/harness/client.js';
import { MERGE_PATCH } from '../conformance/harness/sandbox.js';
import { readConnection } from '../conformance/harness/target.js';
import { minorOfServer } from '../conformance/harness/versions.js';
import { EVERY_KIND, type KindExample, pathOf } from '../support/objects/every-kind.js';
import { createFilled } from '../support/objects/fill-object.js';
import { withoutNullTimes } from '../support/objects/null-times.js';
import { PROTOBUF } from '../support/objects/protobuf.js';
import { readProtobuf } from '../support/objects/protobuf-responses.js';

const NAME = 'filled-kind';

/** Of the version that the embedded server emulates. */
const EMULATED_MINOR = 37;

let api: ApiClient;
let minor = 0;
const filled: { example: KindExample; fields: number }[] = [];

function objectPath(example: KindExample): string {
  return `${pathOf(example, example.isNamespaced ? NAME : undefined)}/${NAME}`;
}

beforeAll(async () => {
  api = new ApiClient(await readConnection(readFileSync(inject('kubeConfigs').admin, 'utf8')));
  minor = await minorOfServer(api);
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: NAME } } });
  const defined = await api.request('POST', DEFINITIONS, { body: DEFINITION });
  expect(defined.status, defined.text).toBe(201);
  for (const example of EVERY_KIND) {
    if (example.kind === 'Namespace') continue;
    filled.push({ example, fields: await createFilled(api, example, NAME) });
  }
  const counts = filled.map(({ example: { kind }, fields }) => `${kind} ${fields}`);
  console.log(`${filled.length} kinds, fields: ${counts.join(', ')}`);
});

afterAll(async () => {
  for (const { example } of filled) {
    const noFinalizers = { metadata: { finalizers: null } };
    const headers = { 'Content-Type': MERGE_PATCH };
    await api.request('PATCH', objectPath(example), { body: noFinalizers, headers });
    await api.request('DELETE', objectPath(example), { query: { gracePeriodSeconds: 0 } });
  }
  await api.request('DELETE', `${DEFINITIONS}/${DEFINITION.metadata.name}`);
  await api.request('DELETE', `/api/v1/namespaces/${NAME}`);
  api.close();
});

it('at least 41 kinds can be created', () => {
  expect(filled.length).toBeGreaterThanOrEqual(41);
});

it('the embedded server encodes the JSON of every kind to the protobuf that the real server sends', async () => {
  const different: string[] = [];
  for (const { example } of filled) {
    const { json, protobuf } = await readBoth(objectPath(example));
    const object = parseJson(json) as TypeMeta & Record<string, unknown>;
    const message = protobufMessageOfKind(object.apiVersion, object.kind) ?? '';
    const encoded = encodeObject(message, object);
    if (encoded.equals(protobuf)) continue;
    // A field that is always sent is missing from servers that do not have it yet: their objects are equal when decoded.
    const isOlder = minor < EMULATED_MINOR;
    if (!isOlder || !isDeepStrictEqual(readProtobuf(encoded), readProtobuf(protobuf))) different.push(json);
  }
  expect(different).toEqual([]);
});

/** Kinds of which the server has objects, or whose objects the test creates without generated fields. */
const ALREADY_THERE = [
  { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces' },
  { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', plural: 'apiservices' },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
  },
];

/** A custom resource definition with every alternative to a schema, and with arbitrary JSON. */
const DEFINITION = {
  metadata: { name: 'fillings.kinds.kubeflect.dev' },
  spec: {
    group: 'kinds.kubeflect.dev',
    scope: 'Namespaced',
    names: {
      kind: 'Filling',
      plural: 'fillings',
      singular: 'filling',
      shortNames: ['fi'],
      categories: ['all'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
        additionalPrinterColumns: [{ name: 'N', type: 'integer', jsonPath: '.spec.n', priority: 1 }],
        selectableFields: [{ jsonPath: '.spec.text' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            externalDocs: { description: 'more', url: 'https://example.test' },
            properties: {
              spec: {
                type: 'object',
                required: ['text'],
                minProperties: 1,
                properties: {
                  text: { type: 'string', default: '<é 🚀>', pattern: '.', maxLength: 9, nullable: true },
                  n: {
                    type: 'integer',
                    format: 'int64',
                    minimum: -1.5,
                    exclusiveMinimum: true,
                    multipleOf: 0.5,
                  },
                  choice: { type: 'string', enum: ['a', ''] },
                  list: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
                  map: { type: 'object', additionalProperties: { type: 'number' } },
                  free: {
                    type: 'object',
                    'x-kubernetes-preserve-unknown-fields': true,
                    default: { a: [1, null] },
                  },
                  either: {
                    'x-kubernetes-int-or-string': true,
                    anyOf: [{ type: 'integer' }, { type: 'string' }],
                  },
                  ruled: {
                    type: 'object',
                    properties: { a: { type: 'integer' } },
                    'x-kubernetes-validations': [
                      { rule: 'self.a > 0', message: 'no', reason: 'FieldValueInvalid' },
                    ],
                  },
                },
              },
              status: { type: 'object', properties: { n: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

type Way = Pick<InformerOptions, 'encoding' | 'list'>;

/** The others are compared with the first. */
const WAYS: readonly Way[] = [
  { encoding: 'json', list: 'paged' },
  { encoding: 'protobuf', list: 'paged' },
  { encoding: 'protobuf', list: 'full' },
  { encoding: 'protobuf', list: 'stream' },
];

it('an object decoded from protobuf equals the one from JSON, by list, streaming list and watch', async () => {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(inject('kubeConfigs').admin);
  const errors: KubeflectError[] = [];
  await using engine = new Engine({ kubeConfig, workers: 1, onError: (error) => errors.push(error) });
  const kinds = [...filled.map(({ example }) => example), ...ALREADY_THERE];
  const collections = kinds.map(({ apiVersion, kind, plural }) => ({
    kind,
    informers: WAYS.map((way) => engine.informer({ apiVersion, kind, plural, drop: [], ...way })),
  }));
  const all = collections.flatMap(({ informers }) => informers);
  for (const informer of all) informer.start();
  await Promise.all(all.map(({ synced }) => synced));

  // Controllers of the server write some objects now and then, so that the informers may need a moment to agree.
  await expect.poll(() => differences(collections)).toEqual([]);
  for (const { kind, informers } of collections) expect(informers[0]?.lister.list(), kind).not.toEqual([]);

  const seen = { metadata: { annotations: { 'example.test/seen': 'by watch' } } };
  for (const { example } of filled) {
    const headers = { 'Content-Type': MERGE_PATCH };
    const { status } = await api.request('PATCH', objectPath(example), { body: seen, headers });
    expect(status, example.kind).toBe(200);
  }
  const changed = collections.slice(0, filled.length).flatMap(({ informers }) => informers);
  await expect
    .poll(() => changed.filter((informer) => !JSON.stringify(namedIn(informer)).includes('by watch')).length)
    .toBe(0);
  await expect.poll(() => differences(collections)).toEqual([]);
  // That a list has not begun after 10 s depends on the machine: there are four for each kind.
  expect(errors.filter(({ code }) => code !== 'KUBEFLECT_STALLED')).toEqual([]);
});

function namedIn(informer: SharedInformer | undefined): KubernetesObject | undefined {
  return informer?.lister.list().find(({ metadata }) => metadata?.name === NAME);
}

/** The only difference: in JSON kube-apiserver sends the type of a StatefulSet's claim templates, for which protobuf has no field. */
function withoutTypesInside(object: KubernetesObject): KubernetesObject {
  const { spec } = object as { spec?: { volumeClaimTemplates?: readonly KubernetesObject[] } };
  if (spec?.volumeClaimTemplates === undefined) return object;
  const volumeClaimTemplates = spec.volumeClaimTemplates.map(({ kind, apiVersion, ...claim }) => {
    expect([kind, apiVersion]).toEqual(['PersistentVolumeClaim', 'v1']);
    return claim;
  });
  return { ...object, spec: { ...spec, volumeClaimTemplates } } as KubernetesObject;
}

/** Kinds and variants that differ from the first variant, with the first differing object. */
function differences(
  collections: readonly { readonly kind: string; readonly informers: readonly SharedInformer[] }[],
): unknown[] {
  const sorted = (informer: SharedInformer | undefined): KubernetesObject[] =>
    [...(informer?.lister.list() ?? [])].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const keyOf = ({ metadata }: KubernetesObject): string => `${metadata?.namespace}/${metadata?.name}`;
  return collections.flatMap(({ kind, informers: [first, ...others] }) => {
    const expected = sorted(first).map(withoutTypesInside).map(withoutNullTimes);
    return others.flatMap((informer, index) => {
      const found = sorted(informer);
      const at = expected.findIndex((object, k) => !isDeepStrictEqual(object, found[k]));
      if (at < 0 && found.length === expected.length) return [];
      return [{ kind, way: WAYS[index + 1], expected: expected[at], found: found[at] }];
    });
  });
}

/** Compares objects of the same version only: controllers of the server write some objects now and then. */
async function readBoth(path: string): Promise<{ json: string; protobuf: Buffer }> {
  for (;;) {
    const before = await api.get(path);
    const { bytes: protobuf } = await api.get(path, {}, { Accept: PROTOBUF });
    if ((await api.get(path)).text === before.text) return { json: before.text, protobuf };
  }
}
