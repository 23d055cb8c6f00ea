/** The size of a list of all pods in one response, computed from pages whose content is checked. */
import type { ApiServerHandle, KubeObject } from 'kubeflect/testing';
import { listMetadata } from '#dist/apiserver/objects/partial-metadata.js';
import { decodeEnvelope } from '#dist/apiserver/protobuf/decode-envelope.js';
import { ENVELOPE_TAIL, envelopeHead } from '#dist/apiserver/protobuf/encode-envelope.js';
import { encodeMessage } from '#dist/apiserver/protobuf/encode-message.js';
import { bytesField, readFields } from '#dist/apiserver/protobuf/read-fields.js';
import { type DigestRow, digestOf } from '../contenders/measure.js';
import { POD } from './embedded.js';

const PAGE_SIZE = 500;

interface Page {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly KubeObject[];
}

/** In JSON. The digest of the pages is checked. */
export async function jsonListBytes(server: ApiServerHandle): Promise<number> {
  const rows: DigestRow[] = [];
  let next = '';
  let itemBytes = 0;
  let resourceVersion = '';
  do {
    const body = await (await fetch(`${server.url}/api/v1/pods?limit=${PAGE_SIZE}&continue=${next}`)).text();
    const { metadata, items } = JSON.parse(body) as Page;
    const start = body.indexOf('"items":[') + '"items":['.length;
    itemBytes += Buffer.byteLength(body) - start - ']}\n'.length - (items.length - 1);
    for (const { metadata: item } of items) {
      rows.push({
        key: `${item?.namespace}/${item?.name}`,
        uid: item?.uid,
        resourceVersion: item?.resourceVersion,
      });
    }
    resourceVersion = metadata.resourceVersion;
    next = metadata.continue ?? '';
  } while (next !== '');
  const expected = await server.digest(POD);
  if (digestOf(rows).digest !== expected.digest) throw new Error("the pages do not have the server's digest");
  const metadata = `{"resourceVersion":"${resourceVersion}"}`;
  const envelope = `{"kind":"PodList","apiVersion":"v1","metadata":${metadata},"items":[]}\n`;
  return itemBytes + (rows.length - 1) + envelope.length;
}

/** In protobuf. The number of objects in the pages is checked. */
export async function protobufListBytes(server: ApiServerHandle): Promise<number> {
  const headers = { Accept: 'application/vnd.kubernetes.protobuf' };
  let next = '';
  let count = 0;
  let itemBytes = 0;
  let resourceVersion = '';
  do {
    const response = await fetch(`${server.url}/api/v1/pods?limit=${PAGE_SIZE}&continue=${next}`, {
      headers,
    });
    const { raw } = decodeEnvelope(Buffer.from(await response.arrayBuffer()));
    next = '';
    const metadata = {
      2: bytesField('ResourceVersion', (bytes) => {
        resourceVersion = bytes.toString();
      }),
      3: bytesField('Continue', (bytes) => {
        next = bytes.toString();
      }),
    };
    readFields(raw, 'PodList', {
      1: bytesField('ListMeta', (bytes) => readFields(bytes, 'ListMeta', metadata)),
      2: bytesField('Items', (item) => {
        itemBytes += fieldBytes(item);
        count++;
      }),
    });
  } while (next !== '');
  const expected = await server.digest(POD);
  if (count !== expected.count)
    throw new Error(`the pages have ${count} objects, the server ${expected.count}`);
  const listMeta = encodeMessage('meta.v1.ListMeta', listMetadata({ resourceVersion }));
  const bytes = fieldBytes(listMeta) + itemBytes;
  return envelopeHead({ apiVersion: 'v1', kind: 'PodList' }, bytes).length + bytes + ENVELOPE_TAIL.length;
}

/** With its tag and its length. */
function fieldBytes({ length }: Buffer): number {
  let head = 2;
  for (let rest = length; rest > 0x7f; rest >>>= 7) head++;
  return head + length;
}
