/** A real API server that is newer than the protobuf schema: fields are taken out of the schema of the worker threads. */

import { readFileSync } from 'node:fs';
import { KubeConfig, Watch } from '@kubernetes/client-node';
import { Engine, type KubeflectError, type KubernetesObject } from 'kubeflect';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { protobufMessage, protobufMessageNames } from '#dist/src/kube/protobuf-schema/protobuf-message.js';
import { ApiClient } from '../conformance/harness/client.js';
import { MERGE_PATCH } from '../conformance/harness/sandbox.js';
import { readConnection } from '../conformance/harness/target.js';
import { JsonObjects, olderSchema, SeenObjects } from '../support/engine/older-schema.js';
import { EVERY_KIND, type KindExample, objectOf, pathOf } from '../support/objects/every-kind.js';

const NAME = 'unknown-fields';

let api: ApiClient;
const kubeConfig = new KubeConfig();
const json = new JsonObjects();
const recorders: AbortController[] = [];

const EXAMPLES = EVERY_KIND.filter(({ kind }) => kind !== 'Namespace');
const namespaceOf = ({ isNamespaced }: KindExample): string | undefined => (isNamespaced ? NAME : undefined);
const objectPath = (example: KindExample): string => `${pathOf(example, namespaceOf(example))}/${NAME}`;

/** Of each message the field with the highest number, as if the server had added it since. */
function newestFields(): string[] {
  return protobufMessageNames()
    .filter((message) => !message.startsWith('meta.v1.') && !message.endsWith('List'))
    .flatMap((message) => {
      const fields = [...protobufMessage(message).fields].sort((a, b) => b.number - a.number);
      const [newest] = fields;
      if (newest === undefined || fields.length < 2 || newest.isInlined || newest.name === 'metadata')
        return [];
      // New fields are optional, or always sent.
      const isNew = newest.isOmittedWhenEmpty || (!newest.isPointer && newest.container === 'one');
      return isNew ? [`${message}.${newest.name}`] : [];
    });
}

/** All versions of all objects of a kind, as client-node reads them. */
async function recordJson({ apiVersion, plural }: Pick<KindExample, 'apiVersion' | 'plural'>): Promise<void> {
  const path = `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}/${plural}`;
  const onEvent = (_: string, object: KubernetesObject): void => void json.add(object);
  recorders.push(await new Watch(kubeConfig).watch(path, {}, onEvent, () => {}));
}

beforeAll(async () => {
  kubeConfig.loadFromFile(inject('kubeConfigs').admin);
  api = new ApiClient(await readConnection(readFileSync(inject('kubeConfigs').admin, 'utf8')));
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: NAME } } });
  await Promise.all(EXAMPLES.map(recordJson));
  for (const example of EXAMPLES) {
    const path = pathOf(example, namespaceOf(example));
    const { status, text } = await api.request('POST', path, { body: objectOf(example, NAME) });
    expect([200, 201, 409], `${example.kind}: ${text}`).toContain(status);
  }
});

afterAll(async () => {
  for (const recorder of recorders) recorder.abort();
  for (const example of EXAMPLES) {
    await api.request('DELETE', objectPath(example), { query: { gracePeriodSeconds: 0 } });
  }
  await api.request('DELETE', `/api/v1/namespaces/${NAME}`);
  api.close();
});

async function patch(path: string, body: object): Promise<void> {
  const { status, text } = await api.request('PATCH', path, {
    body,
    headers: { 'Content-Type': MERGE_PATCH },
  });
  expect(status, `${path}: ${text}`).toBe(200);
}

function openEngine(errors: KubeflectError[]): Engine {
  return new Engine({
    kubeConfig,
    ...olderSchema(newestFields()),
    onError: (error) => {
      // Depends on the machine.
      if (error.code !== 'KUBEFLECT_HANDLER_SLOW') errors.push(error);
    },
  });
}

it('every object equals its JSON each time a handler sees it, with a schema older than the server', async () => {
  const errors: KubeflectError[] = [];
  await using engine = openEngine(errors);
  const informers = EXAMPLES.map((example) => {
    const { apiVersion, kind, plural } = example;
    return { example, seen: new SeenObjects(engine, { apiVersion, kind, plural }) };
  });
  await Promise.all(informers.map(({ seen }) => seen.informer.synced));
  const lists = (): number[] => engine.stats().informers.map(({ relists }) => relists);
  const listsAfterSync = lists();
  // The streaming list, and the list in pages that came after it.
  expect(Math.max(...listsAfterSync)).toBeLessThanOrEqual(1);

  const latest = new Map<KindExample, string>();
  for (let round = 0; round < 3; round++) {
    for (const { example } of informers) {
      await patch(objectPath(example), {
        metadata: { annotations: { 'example.test/round': String(round) } },
      });
    }
  }
  for (const { example } of informers) {
    const object = (await api.get(objectPath(example))).json as KubernetesObject;
    latest.set(example, object.metadata?.resourceVersion ?? '');
  }
  await expect
    .poll(() =>
      informers
        .filter(({ example, seen }) => {
          const key = example.isNamespaced ? `${NAME}/${NAME}` : NAME;
          const stored = seen.informer.lister.get(key)?.metadata?.resourceVersion ?? '0';
          return Number(stored) < Number(latest.get(example));
        })
        .map(({ example }) => example.kind),
    )
    .toEqual([]);
  for (const { example, seen } of informers) {
    expect(seen.calls.update, example.kind).toBeGreaterThanOrEqual(3);
    await expect.poll(() => seen.differencesFrom(json)).toEqual([]);
  }

  const inJson = engine.stats().informers.filter(({ encoding }) => encoding === 'json');
  console.log(`${inJson.length} of ${informers.length} kinds have unknown fields, and are read in JSON`);
  expect(inJson.length).toBeGreaterThan(5);
  expect(errors.map(({ code }) => code)).toEqual(inJson.map(() => 'KUBEFLECT_UNKNOWN_FIELD'));
  expect(new Set(errors.map(({ message }) => message)).size).toBe(inJson.length);
  // No list was needed when a watch met the field.
  expect(lists()).toEqual(listsAfterSync);
}, 300_000);

it('a watch continues in JSON, without a list, when an object gets a field that the schema lacks', async () => {
  const errors: KubeflectError[] = [];
  await using engine = openEngine(errors);
  const path = `/api/v1/namespaces/${NAME}/configmaps`;
  for (const name of ['watched', 'other']) {
    const { status, text } = await api.request('POST', path, {
      body: { metadata: { name }, data: { k: 'v' } },
    });
    expect(status, text).toBe(201);
  }
  const seen = new SeenObjects(engine, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    plural: 'configmaps',
    namespace: NAME,
    fieldSelector: 'metadata.name!=kube-root-ca.crt',
    labelSelector: 'app!=example',
  });
  await seen.informer.synced;
  await patch(`${path}/other`, { data: { k: 'before' } });
  await expect.poll(() => seen.calls.update).toBe(1);
  expect(engine.stats().informers).toMatchObject([{ encoding: 'protobuf', relists: 0 }]);
  await patch(`${path}/watched`, { immutable: true });
  await patch(`${path}/other`, { data: { k: 'after' } });
  await expect.poll(() => seen.calls.update).toBe(3);
  await expect.poll(() => seen.differencesFrom(json)).toEqual([]);
  expect(seen.informer.lister.get(`${NAME}/watched`)).toMatchObject({ immutable: true });
  expect(engine.stats().informers).toMatchObject([{ encoding: 'json', relists: 0 }]);
  expect(errors).toMatchObject([{ code: 'KUBEFLECT_UNKNOWN_FIELD' }]);
});
