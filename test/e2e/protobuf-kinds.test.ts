/** Every built-in kind that can be created on a real API server, with all fields that its validation lets pass. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { protobufMessageOfKind } from '#dist/src/kube/protobuf-schema/protobuf-kind.js';
import { parseJson } from '#dist/workers/apiserver/json.js';
import { encodeObject, type TypeMeta } from '#dist/workers/apiserver/protobuf/encode-envelope.js';
import { ApiClient } from '../conformance/harness/client.js';
import { MERGE_PATCH } from '../conformance/harness/sandbox.js';
import { readConnection } from '../conformance/harness/target.js';
import { EVERY_KIND, type KindExample, pathOf } from '../support/every-kind.js';
import { createFilled } from '../support/fill-object.js';
import { PROTOBUF } from '../support/protobuf.js';

const NAME = 'filled-kind';

let api: ApiClient;
const filled: { example: KindExample; fields: number }[] = [];

function objectPath(example: KindExample): string {
  return `${pathOf(example, example.isNamespaced ? NAME : undefined)}/${NAME}`;
}

beforeAll(async () => {
  api = new ApiClient(await readConnection(readFileSync(inject('kubeConfigs').admin, 'utf8')));
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: NAME } } });
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
  await api.request('DELETE', `/api/v1/namespaces/${NAME}`);
  api.close();
});

it('there are at least 25', () => {
  expect(filled.length).toBeGreaterThanOrEqual(25);
});

it("the embedded server's encoder makes of the JSON what the real server sends in protobuf", async () => {
  const different: string[] = [];
  for (const { example } of filled) {
    const { json, protobuf } = await readBoth(objectPath(example));
    const object = parseJson(json) as TypeMeta & Record<string, unknown>;
    const message = protobufMessageOfKind(object.apiVersion, object.kind) ?? '';
    if (!encodeObject(message, object).equals(protobuf)) different.push(json);
  }
  expect(different).toEqual([]);
});

/** Of one version: controllers of the server write some objects now and then. */
async function readBoth(path: string): Promise<{ json: string; protobuf: Buffer }> {
  for (;;) {
    const before = await api.get(path);
    const { bytes: protobuf } = await api.get(path, {}, { Accept: PROTOBUF });
    if ((await api.get(path)).text === before.text) return { json: before.text, protobuf };
  }
}
