/** How the feeding server writes pods: in JSON, or in the protobuf that an informer of a built-in kind prefers. */
import type { IncomingMessage } from 'node:http';
import type { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { type ListMetadata, listMetadata } from '#dist/apiserver/objects/partial-metadata.js';
import { BackwardWriter } from '#dist/apiserver/protobuf/backward-writer.js';
import { ENVELOPE_TAIL, HEAD_BYTES, inEnvelope } from '#dist/apiserver/protobuf/encode-envelope.js';
import { encodeMessage } from '#dist/apiserver/protobuf/encode-message.js';
import { frameHead } from '#dist/apiserver/protobuf/watch-frame.js';

const POD = { apiVersion: 'v1', kind: 'Pod' };
const LIST = { apiVersion: 'v1', kind: 'PodList' };
const EVENT_HEAD = Buffer.from('{"type":"MODIFIED","object":');
const EVENT_TAIL = Buffer.from('}\n');
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** A pod of the set, at a revision, after so many changes. */
export interface PodState {
  readonly index: number;
  readonly revision: number;
  readonly mutation: number;
}

export interface FeedingEncoding {
  readonly listType: string;
  readonly watchType: string;
  page(set: RenderedSet, pods: readonly PodState[], metadata: ListMetadata): Buffer;
  /** No event is longer. */
  maxEventBytes(set: RenderedSet): number;
  /** Writes an event to `chunk` at `offset`, and returns its end. */
  writeEvent(set: RenderedSet, pod: PodState, chunk: Buffer, offset: number): number;
}

/** By the request's Accept header. */
export function encodingOf({ headers: { accept = '' } }: IncomingMessage): FeedingEncoding {
  return accept.includes(PROTOBUF) ? protobuf : json;
}

const json: FeedingEncoding = {
  listType: 'application/json',
  watchType: 'application/json',
  page(set, pods, metadata) {
    const head = { kind: LIST.kind, apiVersion: LIST.apiVersion, metadata: listMetadata(metadata) };
    const items = pods.flatMap(({ index, revision, mutation }, i) => [
      Buffer.from(i > 0 ? ',' : ''),
      set.itemBytes(index, revision, mutation),
    ]);
    return Buffer.concat([
      Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`),
      ...items,
      Buffer.from(']}\n'),
    ]);
  },
  maxEventBytes: (set) => set.maxItemBytes + set.typeMeta.length + EVENT_HEAD.length + EVENT_TAIL.length,
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

const protobuf: FeedingEncoding = {
  listType: PROTOBUF,
  watchType: `${PROTOBUF};stream=watch`,
  page(set, pods, metadata) {
    const items = pods.flatMap((pod) => {
      const item = Buffer.allocUnsafe(set.protobufLength(pod.index, pod.revision, pod.mutation));
      set.renderProtobufInto(item, 0, pod);
      return [fieldHead(2, item.length), item];
    });
    const listMeta = encodeMessage('meta.v1.ListMeta', listMetadata(metadata));
    return inEnvelope(LIST, Buffer.concat([fieldHead(1, listMeta.length), listMeta, ...items]));
  },
  // No pod in protobuf is longer than in JSON.
  maxEventBytes: (set) => set.maxItemBytes + 2 * HEAD_BYTES,
  writeEvent(set, pod, chunk, offset) {
    const length = set.protobufLength(pod.index, pod.revision, pod.mutation);
    const head = headOf(length);
    head.copy(chunk, offset);
    const end = set.renderProtobufInto(chunk, offset + head.length, pod);
    return end + ENVELOPE_TAIL.copy(chunk, end);
  },
};

/** By the length of the object; there are few different ones. */
const heads = new Map<number, Buffer>();

function headOf(length: number): Buffer {
  const cached = heads.get(length);
  if (cached !== undefined) return cached;
  const head = frameHead('MODIFIED', POD, length);
  heads.set(length, head);
  return head;
}

function fieldHead(field: number, length: number): Buffer {
  const writer = new BackwardWriter(HEAD_BYTES);
  writer.head(field, length);
  return writer.take();
}
