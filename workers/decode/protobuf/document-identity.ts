import { ProtobufError, WIRE_TYPES, WireReader } from '../../../src/kube/protobuf-schema/wire-reader.js';
import type { DocumentIdentity } from '../document-identity.js';
import { MAGIC } from './envelope.js';
import { goString } from './go-format.js';

type MutableIdentity = { -readonly [field in keyof DocumentIdentity]: DocumentIdentity[field] };

/** Field numbers of ObjectMeta. */
const METADATA_FIELDS: Readonly<Record<number, 'name' | 'namespace' | 'uid' | 'resourceVersion'>> = {
  1: 'name',
  3: 'namespace',
  5: 'uid',
  6: 'resourceVersion',
};

/**
 * Reads `metadata.name`, `namespace`, `uid` and `resourceVersion` (and the type of an event) from the first bytes of an
 * object, until that `isEnough`. If it cannot be decoded: such an object is reported by its key, if the key comes before the problem.
 */
export function readProtobufIdentity(
  bytes: Uint8Array,
  document: 'item' | 'event',
  isEnough: (identity: DocumentIdentity) => boolean = () => false,
): DocumentIdentity {
  const identity: MutableIdentity = {};
  const readObject = (object: Uint8Array): void =>
    eachField(object, (number, content) => {
      if (number === 1) readMetadata(content);
      return isEnough(identity);
    });
  const readMetadata = (metadata: Uint8Array): void =>
    eachField(metadata, (number, content, isComplete) => {
      const field = METADATA_FIELDS[number];
      if (field !== undefined && isComplete && content.length > 0) identity[field] = goString(content);
      return isEnough(identity);
    });
  const readEnvelope = (envelope: Uint8Array): void => {
    if (MAGIC.some((byte, i) => envelope[i] !== byte)) return;
    eachField(envelope.subarray(MAGIC.length), (number, content) => {
      if (number === 2) readObject(content);
      return isEnough(identity);
    });
  };
  const readRaw = (number: number, raw: Buffer): boolean => {
    if (number === 1) readEnvelope(raw);
    return isEnough(identity);
  };
  const readEvent = (event: Uint8Array): void =>
    eachField(event, (number, content, isComplete) => {
      if (number === 1 && isComplete) identity.eventType = goString(content);
      if (number === 2) eachField(content, readRaw);
      return isEnough(identity);
    });
  if (document === 'event') readEvent(bytes);
  else readObject(bytes);
  return identity;
}

/** Calls back for each string and message, also for the last one if it is incomplete, until it returns true. */
function eachField(
  bytes: Uint8Array,
  onField: (number: number, content: Buffer, isComplete: boolean) => boolean,
): void {
  const reader = new WireReader(bytes);
  try {
    while (!reader.isDone) {
      reader.readTag('message');
      if (reader.wireType !== WIRE_TYPES.bytes) reader.skip();
      else {
        const { field } = reader;
        const { bytes: content, isComplete } = reader.availableBytes();
        if (onField(field, content, isComplete)) return;
      }
    }
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
  }
}
