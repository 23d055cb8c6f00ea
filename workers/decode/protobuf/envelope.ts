import { ProtobufError, WIRE_TYPES, WireReader } from '../../../src/kube/protobuf-schema/wire-reader.js';
import { goString } from './go-format.js';
import type { UnknownFields } from './unknown-fields.js';

/** The type of an object, and its message. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** Precedes every object and list: `k8s` and a zero. */
export const MAGIC: readonly number[] = [0x6b, 0x38, 0x73, 0x00];

/**
 * Reads a runtime.Unknown: { 1 typeMeta { 1 apiVersion, 2 kind }, 2 raw, 3 contentEncoding, 4 contentType }. Throws a
 * `ProtobufError`; and what `unknownFields` throws, which other fields are added to.
 */
export function readEnvelope(bytes: Uint8Array, unknownFields?: UnknownFields): Envelope {
  if (bytes.length < MAGIC.length || MAGIC.some((byte, i) => bytes[i] !== byte)) {
    throw new ProtobufError("the object does not begin with Kubernetes' protobuf envelope");
  }
  const reader = new WireReader(bytes.subarray(MAGIC.length));
  const envelope = { apiVersion: '', kind: '', raw: bytes.subarray(0, 0) };
  while (!reader.isDone) {
    reader.readTag('Unknown');
    const { field: number } = reader;
    if (number > 4) skipUnknown(reader, 'Unknown', unknownFields);
    else if (reader.wireType !== WIRE_TYPES.bytes)
      throw new ProtobufError('the envelope of the object is invalid');
    else {
      const content = reader.bytes();
      if (number === 1) Object.assign(envelope, readTypeMeta(content, unknownFields));
      else if (number === 2) envelope.raw = content;
      else checkPlainContent(number, goString(content));
    }
  }
  return envelope;
}

/** No server so far compresses the content of an envelope, or uses another content type. */
export function checkPlainContent(number: number, value: string): void {
  const isPlain = value === '' || (number === 4 && value === 'application/vnd.kubernetes.protobuf');
  if (!isPlain) throw new ProtobufError('the content encoding of the object is unknown');
}

export function readTypeMeta(
  bytes: Uint8Array,
  unknownFields?: UnknownFields,
): { apiVersion?: string; kind?: string } {
  const reader = new WireReader(bytes);
  const type: { apiVersion?: string; kind?: string } = {};
  while (!reader.isDone) {
    reader.readTag('TypeMeta');
    if (reader.field > 2) skipUnknown(reader, 'TypeMeta', unknownFields);
    else if (reader.wireType !== WIRE_TYPES.bytes)
      throw new ProtobufError('the envelope of the object is invalid');
    else type[reader.field === 1 ? 'apiVersion' : 'kind'] = goString(reader.bytes());
  }
  return type;
}

/** Skips a field of a message around the object. */
export function skipUnknown(reader: WireReader, message: string, unknownFields?: UnknownFields): void {
  const { field: number } = reader;
  reader.skip();
  unknownFields?.add({ number, message, path: '' });
}
