import { ProtobufError } from '../../src/kube/protobuf-schema/wire-reader.js';
import { bytesField, readFields } from './read-fields.js';

/**
 * The envelope of every object.
 *
 *   "k8s\0"  Unknown { 1 typeMeta { 1 apiVersion, 2 kind }, 2 raw, 3 contentEncoding, 4 contentType }
 *
 * kube-apiserver ignores contentEncoding and contentType: `raw` is always the object's message.
 */
export interface Envelope {
  /** Empty when the sender left it out. */
  readonly apiVersion: string;
  /** Empty when the sender left it out. */
  readonly kind: string;
  readonly raw: Buffer;
}

export const ENVELOPE_PREFIX: Buffer = Buffer.from('k8s\0');

/** Throws ProtobufError. */
export function decodeEnvelope(bytes: Buffer): Envelope {
  if (bytes.length === 0) throw new ProtobufError('empty data');
  if (!bytes.subarray(0, ENVELOPE_PREFIX.length).equals(ENVELOPE_PREFIX)) {
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${[...ENVELOPE_PREFIX].join(' ')}]`,
    );
  }
  if (bytes.length === ENVELOPE_PREFIX.length) throw new ProtobufError('empty body');
  const envelope: { -readonly [key in keyof Envelope]: Envelope[key] } = {
    apiVersion: '',
    kind: '',
    raw: Buffer.alloc(0),
  };
  const readTypeMeta = (typeMeta: Buffer): void =>
    readFields(typeMeta, 'TypeMeta', {
      1: bytesField('APIVersion', (content) => {
        envelope.apiVersion = content.toString();
      }),
      2: bytesField('Kind', (content) => {
        envelope.kind = content.toString();
      }),
    });
  readFields(bytes.subarray(ENVELOPE_PREFIX.length), 'Unknown', {
    1: bytesField('TypeMeta', readTypeMeta),
    2: bytesField('Raw', (raw) => {
      envelope.raw = raw;
    }),
  });
  return envelope;
}
