import { BackwardWriter } from './backward-writer.js';
import { ENVELOPE_PREFIX } from './decode-envelope.js';
import { encodeMessage } from './encode-message.js';

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Enough for nearly every envelope head. */
export const HEAD_BYTES = 128;

/** `contentEncoding` and `contentType`, which are always sent, empty. */
export const ENVELOPE_TAIL: Buffer = Buffer.from([0x1a, 0, 0x22, 0]);

/** The bytes before an object's message of that length; decode-envelope.ts has the layout. */
export function envelopeHead(type: TypeMeta, messageBytes: number): Buffer {
  const writer = new BackwardWriter(HEAD_BYTES);
  writer.head(2, messageBytes);
  const end = writer.length;
  writeString(writer, 2, type.kind);
  writeString(writer, 1, type.apiVersion);
  writer.endLengthDelimited(1, end);
  writer.bytes(ENVELOPE_PREFIX);
  return writer.take();
}

/** A complete body, or the object of a watch event. */
export function inEnvelope(type: TypeMeta, message: Buffer): Buffer {
  return Buffer.concat([envelopeHead(type, message.length), message, ENVELOPE_TAIL]);
}

/** Encodes an object with its kind and apiVersion as that message. */
export function encodeObject(message: string, object: TypeMeta & Readonly<Record<string, unknown>>): Buffer {
  return inEnvelope(object, encodeMessage(message, object));
}

function writeString(writer: BackwardWriter, field: number, value: string): void {
  const end = writer.length;
  writer.string(value);
  writer.endLengthDelimited(field, end);
}
