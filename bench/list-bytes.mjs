/** What a list of pods takes on the wire, from pages that were checked: they give the digest of the server. */
import { createHash } from 'node:crypto';
import { listMetadata } from '#dist/apiserver/objects/partial-metadata.js';
import { decodeEnvelope } from '#dist/apiserver/protobuf/decode-envelope.js';
import { ENVELOPE_TAIL, envelopeHead } from '#dist/apiserver/protobuf/encode-envelope.js';
import { encodeMessage } from '#dist/apiserver/protobuf/encode-message.js';
import { bytesField, readFields } from '#dist/apiserver/protobuf/read-fields.js';

const PAGE = 500;

/** The bytes of the whole list in one answer, in JSON. */
export async function listBytes(server) {
  const hash = createHash('sha256');
  let next = '';
  let itemBytes = 0;
  let count = 0;
  let resourceVersion = '';
  do {
    const page = await (await fetch(`${server.url}/api/v1/pods?limit=${PAGE}&continue=${next}`)).text();
    const { metadata, items } = JSON.parse(page);
    const open = page.indexOf('"items":[') + '"items":['.length;
    itemBytes += Buffer.byteLength(page) - open - ']}\n'.length - (items.length - 1);
    for (const item of items) {
      hash.update(
        `${item.metadata.namespace}/${item.metadata.name} ${item.metadata.uid} ${item.metadata.resourceVersion}\n`,
      );
    }
    count += items.length;
    resourceVersion = metadata.resourceVersion;
    next = metadata.continue ?? '';
  } while (next !== '');
  const expected = await server.digest({ apiVersion: 'v1', kind: 'Pod' });
  if (hash.digest('hex') !== expected.digest)
    throw new Error('the pages do not give the digest of the server');
  const envelope = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${resourceVersion}"},"items":[]}\n`;
  return itemBytes + (count - 1) + envelope.length;
}

/** The same in protobuf. Of these pages the number of objects is checked. */
export async function protobufListBytes(server) {
  const headers = { Accept: 'application/vnd.kubernetes.protobuf' };
  let next = '';
  let count = 0;
  let itemBytes = 0;
  let resourceVersion = '';
  do {
    const answer = await fetch(`${server.url}/api/v1/pods?limit=${PAGE}&continue=${next}`, { headers });
    const { raw } = decodeEnvelope(Buffer.from(await answer.arrayBuffer()));
    next = '';
    const metadata = {
      2: bytesField('ResourceVersion', (text) => {
        resourceVersion = text.toString();
      }),
      3: bytesField('Continue', (text) => {
        next = text.toString();
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
  const expected = await server.digest({ apiVersion: 'v1', kind: 'Pod' });
  if (count !== expected.count)
    throw new Error(`the pages have ${count} objects, the server ${expected.count}`);
  const listMeta = encodeMessage('meta.v1.ListMeta', listMetadata({ resourceVersion }));
  const bytes = fieldBytes(listMeta) + itemBytes;
  return envelopeHead({ apiVersion: 'v1', kind: 'PodList' }, bytes).length + bytes + ENVELOPE_TAIL.length;
}

/** With its tag and its length. */
function fieldBytes({ length }) {
  let head = 2;
  for (let rest = length; rest > 0x7f; rest >>>= 7) head++;
  return head + length;
}
