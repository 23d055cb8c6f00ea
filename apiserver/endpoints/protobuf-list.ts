import { ItemFaults } from '../faults/item-faults.js';
import type { ListMetadata } from '../objects/partial-metadata.js';
import { listMetadata } from '../objects/partial-metadata.js';
import { BackwardWriter } from '../protobuf/backward-writer.js';
import { ENVELOPE_TAIL, envelopeHead } from '../protobuf/encode-envelope.js';
import { encodeMessage } from '../protobuf/encode-message.js';
import { PROTOBUF } from '../requests/negotiate.js';
import { BodyStream } from '../responses/body.js';
import {
  messageOf,
  type ProtobufForm,
  protobufListType,
  protobufObject,
  protobufType,
} from '../responses/object-protobuf.js';
import type { StoredObject } from '../storage/stored-object.js';
import { checkOutBuffer, releaseBuffer, SLICE_BYTES } from './buffer-pool.js';
import type { RequestContext } from './request-context.js';

/** Tag and length of an item. */
const ITEM_HEAD_BYTES = 11;

/**
 * A list's message is { 1 metadata, 2 items }, preceded by its length: the objects must be known in advance, but
 * are rendered while they are sent.
 */
export async function sendProtobufList(
  context: RequestContext,
  form: ProtobufForm,
  metadata: ListMetadata,
  objects: readonly StoredObject[],
): Promise<void> {
  const { resource, writer, server } = context;
  const faults = new ItemFaults(writer.faults);
  const type = protobufListType(resource, form);
  const message = messageOf(protobufType(resource, form));
  // Items with faults, and metadata, are encoded once, both to measure and to send them.
  const made =
    form === 'metadata' || faults.isActive
      ? objects.map((object) => faults.passItem(protobufObject(resource, form, object)))
      : undefined;
  const head = field(1, encodeMessage('meta.v1.ListMeta', listMetadata(metadata)));
  const lengths = new Uint32Array(objects.length);
  let total = head.length;
  for (const [index, object] of objects.entries()) {
    const length = made?.[index]?.length ?? object.protobufLength(message);
    lengths[index] = length;
    total += itemHeadLength(length) + length;
  }
  const lengthAt = (index: number): number => lengths[index] ?? 0;
  const writeAt = (index: number, target: Buffer, offset: number): number => {
    const bytes = made?.[index];
    if (bytes !== undefined) return offset + bytes.copy(target, offset);
    return objects[index]?.writeProtobuf(message, target, offset) ?? offset;
  };
  const body = new BodyStream(writer, { ...context.body, contentType: PROTOBUF });
  const deadline = setTimeout(() => writer.destroy(), server.options.requestTimeoutMs);
  const memory = checkOutBuffer();
  try {
    await body.write(Buffer.concat([envelopeHead(type, total), head]));
    const end = faults.isTruncated ? faults.truncatedAt + 1 : objects.length;
    for (let index = 0; index < end && !writer.isOver; ) {
      const room = lengthAt(index) + ITEM_HEAD_BYTES;
      const isFitting = body.isSent && room <= memory.length;
      const slice = isFitting ? memory : Buffer.allocUnsafeSlow(Math.max(SLICE_BYTES, room));
      let offset = 0;
      for (; index < end; index++) {
        if (offset + lengthAt(index) + ITEM_HEAD_BYTES > slice.length) break;
        offset = writeAt(index, slice, writeItemHead(slice, offset, lengthAt(index)));
      }
      await body.write(slice.subarray(0, offset));
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (body.isSent) releaseBuffer(memory);
    if (!faults.isTruncated) await body.write(ENVELOPE_TAIL);
    await body.end();
  } finally {
    clearTimeout(deadline);
  }
}

function field(number: number, content: Buffer): Buffer {
  const writer = new BackwardWriter();
  writer.bytes(content);
  writer.endLengthDelimited(number, 0);
  return writer.take();
}

/** Field 2, length-delimited. */
const ITEM_TAG = 0x12;

function itemHeadLength(length: number): number {
  let bytes = 2;
  for (let rest = length; rest > 0x7f; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

function writeItemHead(target: Buffer, offset: number, length: number): number {
  target[offset] = ITEM_TAG;
  let at = offset + 1;
  let rest = length;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) target[at++] = (rest % 128) | 0x80;
  target[at++] = rest;
  return at;
}
