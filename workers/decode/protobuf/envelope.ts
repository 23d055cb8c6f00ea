import { ProtobufError } from './protobuf-error.js';
import { WIRE, WireReader } from './wire-reader.js';

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
 * `ProtobufError`.
 */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length < MAGIC.length || MAGIC.some((byte, i) => bytes[i] !== byte)) {
    throw new ProtobufError("the object does not begin with Kubernetes' protobuf envelope");
  }
  const reader = new WireReader(bytes, MAGIC.length);
  const envelope = { apiVersion: '', kind: '', raw: bytes.subarray(0, 0) };
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (number > 4) reader.skip(wireType);
    else if (wireType !== WIRE.length) throw new ProtobufError('the envelope of the object is invalid');
    else {
      const content = reader.nested();
      if (number === 1) Object.assign(envelope, readTypeMeta(content));
      else if (number === 2) envelope.raw = content.rest();
      else checkPlainContent(number, content.string());
    }
  }
  return envelope;
}

/** No server so far compresses the content of an envelope, or uses another content type. */
export function checkPlainContent(number: number, value: string): void {
  const isPlain = value === '' || (number === 4 && value === 'application/vnd.kubernetes.protobuf');
  if (!isPlain) throw new ProtobufError('the content encoding of the object is unknown');
}

export function readTypeMeta(reader: WireReader): { apiVersion?: string; kind?: string } {
  const type: { apiVersion?: string; kind?: string } = {};
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (number > 2) reader.skip(wireType);
    else if (wireType !== WIRE.length) throw new ProtobufError('the envelope of the object is invalid');
    else type[number === 1 ? 'apiVersion' : 'kind'] = reader.nested().string();
  }
  return type;
}
