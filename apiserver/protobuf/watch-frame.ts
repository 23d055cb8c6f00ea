/**
 * One event of a protobuf watch:
 *
 *   u32, big-endian    how many bytes follow
 *   WatchEvent         { 1 type, 2 object: RawExtension { 1 raw: an envelope, decode-envelope.ts } }
 */

import { BackwardWriter } from './backward-writer.js';
import { decodeEnvelope } from './decode-envelope.js';
import { ENVELOPE_TAIL, envelopeHead, HEAD_BYTES, type TypeMeta } from './encode-envelope.js';
import { bytesField, readFields } from './read-fields.js';

const LENGTH_BYTES = 4;

/** Where in a frame the event begins. */
export const FRAME_EVENT_OFFSET: number = LENGTH_BYTES;

/** The bytes of a frame before an object's message of that length; ENVELOPE_TAIL follows the message. */
export function frameHead(eventType: string, type: TypeMeta, messageBytes: number): Buffer {
  const head = envelopeHead(type, messageBytes);
  const inner = eventHead(eventType, head.length + messageBytes + ENVELOPE_TAIL.length);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(inner.length + head.length + messageBytes + ENVELOPE_TAIL.length);
  return Buffer.concat([length, inner, head]);
}

/** A complete frame. */
export function watchFrame(eventType: string, type: TypeMeta, message: Buffer): Buffer {
  return Buffer.concat([frameHead(eventType, type, message.length), message, ENVELOPE_TAIL]);
}

/** The frame with another kind for its object. */
export function frameWithKind(frame: Buffer, kind: string): Buffer {
  let eventType = '';
  let envelope: Buffer = Buffer.alloc(0);
  readFields(frame.subarray(LENGTH_BYTES), 'WatchEvent', {
    1: bytesField('Type', (content) => {
      eventType = content.toString();
    }),
    2: bytesField('Object', (object) =>
      readFields(object, 'RawExtension', {
        1: bytesField('Raw', (raw) => {
          envelope = raw;
        }),
      }),
    ),
  });
  const { apiVersion, raw } = decodeEnvelope(envelope);
  return watchFrame(eventType, { apiVersion, kind }, raw);
}

/** The bytes of a WatchEvent before an envelope of that length. */
function eventHead(eventType: string, envelopeBytes: number): Buffer {
  const writer = new BackwardWriter(HEAD_BYTES);
  writer.head(1, envelopeBytes);
  const rawHead = writer.length;
  writer.head(2, rawHead + envelopeBytes);
  const end = writer.length;
  writer.string(eventType);
  writer.endLengthDelimited(1, end);
  return writer.take();
}
