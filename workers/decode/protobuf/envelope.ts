import { ProtobufError } from './protobuf-error.js';
import { WIRE, WireReader } from './wire-reader.js';

/** An object as it travels: what it is, and its message. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** Before every object and list: `k8s` and a zero. */
export const MAGIC: readonly number[] = [0x6b, 0x38, 0x73, 0x00];

/** runtime.Unknown: { 1 typeMeta { 1 apiVersion, 2 kind }, 2 raw, 3 contentEncoding, 4 contentType }. Throws a `ProtobufError`. */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length < MAGIC.length || MAGIC.some((byte, i) => bytes[i] !== byte)) {
    throw new ProtobufError('the object has no envelope of Kubernetes around it');
  }
  const reader = new WireReader(bytes, MAGIC.length);
  const envelope = { apiVersion: '', kind: '', raw: bytes.subarray(0, 0) };
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (number > 4) reader.skip(wireType);
    else if (wireType !== WIRE.length) throw new ProtobufError('the envelope of the object is not valid');
    else {
      const content = reader.nested();
      if (number === 1) Object.assign(envelope, readTypeMeta(content));
      else if (number === 2) envelope.raw = content.rest();
      else checkPlainContent(number, content.text());
    }
  }
  return envelope;
}

/** Nothing is compressed or of another kind within an envelope, in any server so far. */
export function checkPlainContent(number: number, text: string): void {
  const isPlain = text === '' || (number === 4 && text === 'application/vnd.kubernetes.protobuf');
  if (!isPlain) throw new ProtobufError('the object is encoded in a way that is not known');
}

export function readTypeMeta(reader: WireReader): { apiVersion?: string; kind?: string } {
  const type: { apiVersion?: string; kind?: string } = {};
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.tag();
    if (number > 2) reader.skip(wireType);
    else if (wireType !== WIRE.length) throw new ProtobufError('the envelope of the object is not valid');
    else type[number === 1 ? 'apiVersion' : 'kind'] = reader.nested().text();
  }
  return type;
}
