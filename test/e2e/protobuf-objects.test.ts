import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { Engine, type InformerOptions, type KubernetesObject, type SharedInformer } from 'kubeflect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../conformance/harness/client.js';
import { openTarget } from '../conformance/harness/target.js';
import { EVERY_KIND, type KindExample, objectOf, pathOf } from '../support/objects/every-kind.js';
import { withoutNullTimes } from '../support/objects/null-times.js';

const NAME = 'every-kind-protobuf';

const WIDGETS = { apiVersion: 'protobuf.example.test/v1', kind: 'Widget', plural: 'widgets' };

let api: ApiClient;
let close: () => Promise<void>;
let engine: Engine;
const errors: Error[] = [];

/** List modes and encodings. The others are compared with the first. */
const WAYS = {
  'JSON list': { encoding: 'json', list: 'paged' },
  'protobuf list': { encoding: 'protobuf', list: 'paged' },
  'protobuf streaming list': { encoding: 'protobuf', list: 'stream' },
  'the default encoding': {},
  'protobuf, by the reference decoder': { encoding: 'protobuf', advanced: { decoder: 'json' } },
} as const satisfies Record<string, Partial<InformerOptions>>;

const namespaceOf = ({ isNamespaced }: KindExample): string | undefined => (isNamespaced ? NAME : undefined);

beforeAll(async () => {
  ({ api, close } = await openTarget());
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(readFileSync(process.env['KUBEFLECT_KUBECONFIG'] ?? '', 'utf8'));
  engine = new Engine({ kubeConfig, workers: 1, onError: (error) => void errors.push(error) });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAME } };
  await api.request('POST', '/api/v1/namespaces', { body: namespace });
  for (const example of EVERY_KIND) {
    const path = pathOf(example, namespaceOf(example));
    const { status, text } = await api.request('POST', path, { body: objectOf(example, NAME) });
    expect([200, 201, 409], `${example.kind}: ${text}`).toContain(status);
  }
});

afterAll(async () => {
  await engine.close();
  for (const example of EVERY_KIND) {
    const path = pathOf(example, namespaceOf(example));
    await api.request('DELETE', `${path}/${NAME}`, { query: { gracePeriodSeconds: 0 } });
  }
  await close();
});

async function startInformer(
  options: InformerOptions<KubernetesObject>,
): Promise<SharedInformer<KubernetesObject>> {
  const informer = engine.informer({ ...options, drop: [] });
  informer.start();
  await informer.synced;
  return informer;
}

/**
 * The only difference: in JSON the API server sends the type of a StatefulSet's claim templates, for which protobuf has no
 * field. client-go does not get it by protobuf either.
 */
function withoutTemplateTypes(object: KubernetesObject | undefined): KubernetesObject | undefined {
  const { spec } = (object ?? {}) as { spec?: { volumeClaimTemplates?: readonly object[] } };
  if (object?.kind !== 'StatefulSet' || spec?.volumeClaimTemplates === undefined) return object;
  const volumeClaimTemplates = spec.volumeClaimTemplates.map((template) => {
    const { kind: _, apiVersion: __, ...rest } = template as KubernetesObject;
    return rest;
  });
  return { ...object, spec: { ...spec, volumeClaimTemplates } } as KubernetesObject;
}

/** The object as each of the informers has it, once all have the same version. */
async function sameVersion(
  informers: readonly SharedInformer<KubernetesObject>[],
  key: string,
): Promise<(KubernetesObject | undefined)[]> {
  const objects = (): (KubernetesObject | undefined)[] => informers.map(({ lister }) => lister.get(key));
  await expect
    .poll(() => new Set(objects().map((object) => object?.metadata?.resourceVersion)).size, {
      timeout: 10_000,
    })
    .toBe(1);
  return objects().map(withoutTemplateTypes);
}

it.each(EVERY_KIND)(
  '$kind of $apiVersion is equal in protobuf and JSON, by list, streaming list and watch',
  async (example) => {
    const { apiVersion, kind, plural } = example;
    const informers: SharedInformer<KubernetesObject>[] = [];
    for (const [way, options] of Object.entries(WAYS)) {
      informers.push(
        await startInformer({ apiVersion, kind, plural, ...options, name: `${apiVersion} ${kind}, ${way}` }),
      );
    }
    const [json, ...others] = informers as [SharedInformer<KubernetesObject>];
    const key = example.isNamespaced ? `${NAME}/${NAME}` : NAME;
    const check = async (): Promise<void> => {
      // All objects of the kind.
      for (const { key: each } of json.lister.entries()) {
        const [inJson, ...received] = await sameVersion(informers, each);
        const expected = withoutNullTimes(inJson);
        if (received.every((object) => isDeepStrictEqual(object, expected))) continue;
        for (const object of received) expect(object).toEqual(expected);
      }
    };
    expect(json.lister.get(key)).toBeDefined();
    await check();
    // The same by a watch event.
    const before = json.lister.get(key)?.metadata?.resourceVersion;
    const { status, text } = await api.request('PATCH', `${pathOf(example, namespaceOf(example))}/${NAME}`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata: { annotations: { 'example.test/changed': `"é" ${Date.now()}` } } },
    });
    expect(status, text).toBe(200);
    await expect
      .poll(() => informers.every(({ lister }) => lister.get(key)?.metadata?.resourceVersion !== before), {
        timeout: 10_000,
      })
      .toBe(true);
    await check();
    const stats = engine.stats().informers.filter(({ name }) => name.startsWith(`${apiVersion} ${kind}, `));
    expect(stats.map(({ encoding }) => encoding)).toEqual(['json', ...others.map(() => 'protobuf')]);
    expect(stats.map(({ unknownFields }) => unknownFields)).toEqual(stats.map(() => 0));
    expect(errors).toEqual([]);
    await Promise.all(informers.map((informer) => informer.stop()));
  },
);

describe('built-in and custom resources in one engine', () => {
  beforeAll(async () => {
    const { plural, kind } = WIDGETS;
    const body = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.protobuf.example.test` },
      spec: {
        group: 'protobuf.example.test',
        scope: 'Namespaced',
        names: { plural, singular: 'widget', kind, listKind: `${kind}List` },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    };
    await api.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body });
    const widget = { ...WIDGETS, plural: undefined, metadata: { name: 'a' }, spec: { x: 1 } };
    const path = `/apis/${WIDGETS.apiVersion}/namespaces/${NAME}/${plural}`;
    // A new definition is served after a moment.
    for (let status = 0; status !== 201; ) ({ status } = await api.request('POST', path, { body: widget }));
  });
  afterAll(async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await api.request('DELETE', `${path}/${WIDGETS.plural}.protobuf.example.test`);
  });

  it('are each read in an encoding that the server supports, without an error', async () => {
    const kinds = [
      WIDGETS,
      { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
      { apiVersion: 'v1', kind: '', plural: 'secrets' },
      { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        plural: 'customresourcedefinitions',
      },
    ];
    const informers = await Promise.all(
      kinds.map(({ apiVersion, plural, kind }) =>
        startInformer({ apiVersion, plural, ...(kind !== '' && { kind }), name: `mixed ${plural}` }),
      ),
    );
    const metadata = await startInformer({ ...WIDGETS, metadataOnly: true, name: 'mixed metadata' });
    const stats = new Map(engine.stats().informers.map(({ name, encoding }) => [name, encoding]));
    expect(kinds.map(({ plural }) => stats.get(`mixed ${plural}`))).toEqual([
      'json',
      ...Array(4).fill('protobuf'),
    ]);
    expect(stats.get('mixed metadata')).toBe('protobuf');
    const [widgets] = informers as [SharedInformer<KubernetesObject>];
    expect(widgets.lister.get(`${NAME}/a`)).toMatchObject({ spec: { x: 1 } });
    const { metadata: expected } = widgets.lister.get(`${NAME}/a`) ?? {};
    expect(metadata.lister.get(`${NAME}/a`)).toEqual({
      apiVersion: WIDGETS.apiVersion,
      kind: WIDGETS.kind,
      metadata: expected,
    });
    expect(errors).toEqual([]);
    await Promise.all([...informers, metadata].map((informer) => informer.stop()));
  });
});
