/** Answers in protobuf, beside the same in JSON. */

import { describe, expect } from 'vitest';
import { PROTOBUF } from '../../support/objects/protobuf.js';
import { readProtobuf, readProtobufEvents } from '../../support/objects/protobuf-responses.js';
import { test } from '../harness/case.js';
import { configMap, pod } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';
import { isStreamingRejected, STREAMING_LIST } from '../harness/versions.js';

const ACCEPT = { Accept: PROTOBUF };
const METADATA = 'g=meta.k8s.io;v=v1';

/** Objects of the wire, so that what JSON shows as an empty value, and protobuf need not send, does not count. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

async function seed(ns: Sandbox): Promise<void> {
  await ns.create('configmaps', configMap('a', { data: { k: '<é 🚀>' } }));
  await ns.create('configmaps', configMap('b', { data: { k: 'v' } }));
}

describe('protobuf responses', () => {
  test('contain one object', async ({ ns }) => {
    await ns.create('pods', pod('a'));
    const { json } = await ns.api.get(ns.path('pods', 'a'));
    const response = await ns.api.get(ns.path('pods', 'a'), {}, ACCEPT);
    expect(response.headers['content-type']).toBe(PROTOBUF);
    expect(withoutEmpty(readProtobuf(response.bytes))).toEqual(withoutEmpty(json));
  });

  test('are sent for writes and deletions', async ({ ns }) => {
    const created = await ns.api.request('POST', ns.path('configmaps'), {
      body: configMap('a', { data: { k: 'v' } }),
      headers: ACCEPT,
    });
    expect([created.status, created.headers['content-type']]).toEqual([201, PROTOBUF]);
    expect(readProtobuf(created.bytes)).toMatchObject({ kind: 'ConfigMap', data: { k: 'v' } });
    const deleted = await ns.api.request('DELETE', ns.path('configmaps', 'a'), { headers: ACCEPT });
    expect([deleted.status, deleted.headers['content-type']]).toEqual([200, PROTOBUF]);
    expect(readProtobuf(deleted.bytes)).toMatchObject({ kind: 'Status', status: 'Success' });
  });

  test('contain a list, or a page', async ({ ns }) => {
    await seed(ns);
    const path = ns.path('configmaps');
    for (const query of [{}, { limit: 1 }]) {
      const { json } = await ns.api.get(path, query);
      const response = await ns.api.get(path, query, ACCEPT);
      expect(response.headers['content-type']).toBe(PROTOBUF);
      expect(withoutEmpty(readProtobuf(response.bytes))).toEqual(withoutEmpty(json));
    }
  });

  test('contain an empty list', async ({ ns }) => {
    const response = await ns.api.get(ns.path('configmaps'), {}, ACCEPT);
    expect(readProtobuf(response.bytes)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMapList',
      metadata: { resourceVersion: expect.stringMatching(/^[0-9]+$/) },
    });
  });

  test('of a watch are frames with the event types of JSON', async ({ ns }) => {
    const { resourceVersion } = (await ns.api.get(ns.path('configmaps'))).json.metadata;
    await seed(ns);
    await ns.change(ns.path('configmaps', 'a'), { data: { k: 'w' } });
    await ns.delete(ns.path('configmaps', 'b'));
    const query = { watch: 1, timeoutSeconds: 1, resourceVersion: String(resourceVersion) };
    const [json, protobuf] = await Promise.all([
      ns.api.get(ns.path('configmaps'), query),
      ns.api.get(ns.path('configmaps'), query, ACCEPT),
    ]);
    expect(protobuf.headers['content-type']).toBe(`${PROTOBUF};stream=watch`);
    const lines = json.text.trim().split('\n');
    expect(lines).toHaveLength(4);
    expect(readProtobufEvents(protobuf.bytes).map(withoutEmpty)).toEqual(
      lines.map((line) => withoutEmpty(JSON.parse(line))),
    );
  });

  test('of a streaming list are the objects, then the end bookmark', async ({ ns, minor }) => {
    await seed(ns);
    if (await isStreamingRejected({ ns, minor }, ns.path('configmaps'))) return;
    const query = { watch: 1, timeoutSeconds: 1, ...STREAMING_LIST };
    const { bytes } = await ns.api.get(ns.path('configmaps'), query, ACCEPT);
    const events = readProtobufEvents(bytes).slice(0, 3);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
    expect(events.at(2)?.object).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
  });

  test('contain errors', async ({ ns }) => {
    const response = await ns.api.get(ns.path('configmaps', 'none'), {}, ACCEPT);
    expect([response.status, response.headers['content-type']]).toEqual([404, PROTOBUF]);
    const { json } = await ns.api.get(ns.path('configmaps', 'none'));
    expect(withoutEmpty(readProtobuf(response.bytes))).toEqual(withoutEmpty(json));
  });

  test('contain metadata only, of one object or a list', async ({ ns }) => {
    await seed(ns);
    const one = await ns.api.get(
      ns.path('configmaps', 'a'),
      {},
      { Accept: `${PROTOBUF};as=PartialObjectMetadata;${METADATA}` },
    );
    const { json } = await ns.api.get(ns.path('configmaps', 'a'));
    expect(readProtobuf(one.bytes)).toEqual({
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadata',
      metadata: json.metadata,
    });
    const many = await ns.api.get(
      ns.path('configmaps'),
      {},
      { Accept: `${PROTOBUF};as=PartialObjectMetadataList;${METADATA}` },
    );
    expect(readProtobuf(many.bytes)).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
    });
  });

  test('are a protobuf error for a custom resource if no other encoding is accepted', async ({
    ns,
    widgets,
  }) => {
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w'));
    for (const [path, query] of [
      [widgets.pathIn(ns, 'w'), {}],
      [widgets.pathIn(ns), {}],
      [widgets.pathIn(ns), { watch: 1, timeoutSeconds: 1 }],
    ] as const) {
      const response = await ns.api.get(path, query, ACCEPT);
      expect([response.status, response.headers['content-type']]).toEqual([406, PROTOBUF]);
      expect(readProtobuf(response.bytes)).toMatchObject({ kind: 'Status', reason: 'NotAcceptable' });
    }
  });

  test('contain the metadata of a custom resource', async ({ ns, widgets }) => {
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w'));
    const accept = `${PROTOBUF};as=PartialObjectMetadataList;${METADATA}`;
    const response = await ns.api.get(widgets.pathIn(ns), {}, { Accept: accept });
    expect(response.headers['content-type']).toBe(PROTOBUF);
    expect(readProtobuf(response.bytes)).toMatchObject({ items: [{ metadata: { name: 'w' } }] });
  });
});
