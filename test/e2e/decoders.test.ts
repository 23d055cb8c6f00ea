import { afterAll, beforeAll, expect, it } from 'vitest';
import { ListSplitter } from '#dist/workers/split/list-splitter.js';
import type { ApiClient } from '../conformance/harness/client.js';
import { openTarget } from '../conformance/harness/target.js';
import { Differential } from '../fuzz/differential.js';
import { EVERY_KIND, type KindExample, objectOf, pathOf } from '../support/objects/every-kind.js';

const NAME = 'every-kind';

let api: ApiClient;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ api, close } = await openTarget());
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAME } };
  await api.request('POST', '/api/v1/namespaces', { body: namespace });
  for (const example of EVERY_KIND) {
    const path = pathOf(example, example.isNamespaced ? NAME : undefined);
    const { status, text } = await api.request('POST', path, { body: objectOf(example, NAME) });
    expect([200, 201, 409], `${example.kind}: ${text}`).toContain(status);
  }
});

afterAll(async () => {
  for (const example of EVERY_KIND) {
    const path = pathOf(example, example.isNamespaced ? NAME : undefined);
    await api.request('DELETE', `${path}/${NAME}`, { query: { gracePeriodSeconds: 0 } });
  }
  await close();
});

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly { name: string; kind: string; verbs: readonly string[] }[];
}

type Collection = Pick<KindExample, 'apiVersion' | 'plural' | 'kind'>;

/** Every resource that can be listed, in every version. */
async function collections(): Promise<Collection[]> {
  const groups = (await api.request('GET', '/apis')).json as unknown as {
    groups: { versions: { groupVersion: string }[] }[];
  };
  const versions = groups.groups.flatMap(({ versions }) =>
    versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
  );
  const lists = await Promise.all(
    ['/api/v1', ...versions].map(
      async (path) => (await api.request('GET', path)).json as unknown as ResourceList,
    ),
  );
  return lists.flatMap(({ groupVersion, resources }) =>
    resources
      .filter(({ name, verbs }) => !name.includes('/') && verbs.includes('list') && verbs.includes('watch'))
      .map(({ name, kind }) => ({ apiVersion: groupVersion, plural: name, kind })),
  );
}

/** The server's bytes for a list, and for a watch that starts with all objects and ends after a second. */
async function bodiesOf(collection: Collection) {
  const path = pathOf(collection);
  const query = { watch: 1, resourceVersion: 0, timeoutSeconds: 1 };
  const { bytes: list } = await api.request('GET', path);
  const { text } = await api.request('GET', path, { query });
  return { ...collection, list, events: text.split('\n').filter(Boolean) };
}

it('both decoders give the same result for every object of a real API server, by list and by watch', async () => {
  const kinds = new Set<string>();
  const bodies = await Promise.all((await collections()).map(bodiesOf));
  for (const { apiVersion, kind, list, events } of bodies) {
    const differential = await Differential.open({ apiVersion, kind });
    const splitter = new ListSplitter(1 << 24, {
      onItems: (head) => differential.beginList(head),
      onItem: (item) => void kinds.add(differential.item(Buffer.from(item)) && kind),
      onOversized: () => expect.fail(`${kind}: too large`),
    });
    splitter.write(list);
    splitter.end();
    for (const event of events) differential.event(Buffer.from(event));
    expect(differential.verdicts, kind).toMatchObject({ special: 0, invalid: 0 });
    differential.close();
  }
  console.log(`${kinds.size} kinds: ${[...kinds].sort().join(', ')}`);
  expect(kinds.size).toBeGreaterThanOrEqual(EVERY_KIND.length);
});
