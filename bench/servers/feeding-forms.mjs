/** How `feeding.mjs` writes pods: in JSON, or in the protobuf that an informer of a built-in kind asks for first. */
import { listMetadata } from '#dist/apiserver/objects/partial-metadata.js';
import { BackwardWriter } from '#dist/apiserver/protobuf/backward-writer.js';
import { ENVELOPE_TAIL, HEAD_BYTES, inEnvelope } from '#dist/apiserver/protobuf/encode-envelope.js';
import { encodeMessage } from '#dist/apiserver/protobuf/encode-message.js';
import { frameHead } from '#dist/apiserver/protobuf/watch-frame.js';

const POD = { apiVersion: 'v1', kind: 'Pod' };
const LIST = { apiVersion: 'v1', kind: 'PodList' };
const EVENT_HEAD = Buffer.from('{"type":"MODIFIED","object":');
const EVENT_TAIL = Buffer.from('}\n');
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** By what a request accepts. */
export function formOf({ headers: { accept = '' } }) {
  return accept.includes(PROTOBUF) ? protobuf : json;
}

const json = {
  listType: 'application/json',
  watchType: 'application/json',
  page(set, objects, metadata) {
    const head = { kind: LIST.kind, apiVersion: LIST.apiVersion, metadata: listMetadata(metadata) };
    const items = objects.flatMap(({ index, revision, mutation }, i) => [
      Buffer.from(i > 0 ? ',' : ''),
      set.itemBytes(index, revision, mutation),
    ]);
    return Buffer.concat([
      Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`),
      ...items,
      Buffer.from(']}\n'),
    ]);
  },
  /** No event is longer. */
  mostBytes: (set) => set.maxItemBytes + set.typeMeta.length + EVENT_HEAD.length + EVENT_TAIL.length,
  /** An event in `chunk` from `offset`; returns where it ends. */
  writeEvent(set, { index, revision, mutation }, chunk, offset) {
    EVENT_HEAD.copy(chunk, offset);
    const start = offset + EVENT_HEAD.length;
    const end = set.renderInto(chunk, start + set.typeMeta.length, index, revision, mutation);
    chunk[start] = 0x7b;
    set.typeMeta.copy(chunk, start + 1);
    EVENT_TAIL.copy(chunk, end);
    return end + EVENT_TAIL.length;
  },
};

const protobuf = {
  listType: PROTOBUF,
  watchType: `${PROTOBUF};stream=watch`,
  page(set, objects, metadata) {
    const items = objects.flatMap((object) => {
      const item = Buffer.allocUnsafe(set.protobufLength(object.index, object.revision, object.mutation));
      set.renderProtobufInto(item, 0, object);
      return [fieldHead(2, item.length), item];
    });
    const listMeta = encodeMessage('meta.v1.ListMeta', listMetadata(metadata));
    return inEnvelope(LIST, Buffer.concat([fieldHead(1, listMeta.length), listMeta, ...items]));
  },
  // No pod in protobuf is longer than in JSON.
  mostBytes: (set) => set.maxItemBytes + 2 * HEAD_BYTES,
  writeEvent(set, object, chunk, offset) {
    const length = set.protobufLength(object.index, object.revision, object.mutation);
    const head = headOf(length);
    head.copy(chunk, offset);
    const end = set.renderProtobufInto(chunk, offset + head.length, object);
    return end + ENVELOPE_TAIL.copy(chunk, end);
  },
};

/** By the length of the object, of which there are few. */
const heads = new Map();

function headOf(length) {
  const known = heads.get(length);
  if (known !== undefined) return known;
  const head = frameHead('MODIFIED', POD, length);
  heads.set(length, head);
  return head;
}

function fieldHead(field, length) {
  const writer = new BackwardWriter(HEAD_BYTES);
  writer.head(field, length);
  return writer.take();
}
