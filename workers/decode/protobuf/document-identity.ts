import type { DocumentIdentity } from '../document-identity.js';
import { MAGIC } from './envelope.js';
import { ProtobufError } from './protobuf-error.js';
import { WIRE, WireReader } from './wire-reader.js';

type MutableIdentity = { -readonly [field in keyof DocumentIdentity]: DocumentIdentity[field] };

/** Field numbers of ObjectMeta. */
const METADATA_FIELDS: Readonly<Record<number, 'name' | 'namespace' | 'resourceVersion'>> = {
  1: 'name',
  3: 'namespace',
  6: 'resourceVersion',
};

/**
 * Reads `metadata.name`, `namespace` and `resourceVersion` (and the type of an event) from the first bytes of an object
 * that cannot be decoded: such an object is reported by its key, if the key comes before the problem.
 */
export function readProtobufIdentity(bytes: Uint8Array, document: 'item' | 'event'): DocumentIdentity {
  const identity: MutableIdentity = {};
  const object = (reader: WireReader): void =>
    eachField(reader, (number, content) => {
      if (number === 1) metadata(content);
    });
  const metadata = (reader: WireReader): void =>
    eachField(reader, (number, content, isComplete) => {
      const field = METADATA_FIELDS[number];
      if (field !== undefined && isComplete && !content.isAtEnd) identity[field] = content.string();
    });
  const envelope = (reader: WireReader): void => {
    if (MAGIC.some((byte, i) => reader.bytes[reader.position + i] !== byte)) return;
    reader.position += MAGIC.length;
    eachField(reader, (number, content) => {
      if (number === 2) object(content);
    });
  };
  const event = (reader: WireReader): void =>
    eachField(reader, (number, content, isComplete) => {
      if (number === 1 && isComplete) identity.eventType = content.string();
      if (number === 2) eachField(content, (field, raw) => field === 1 && envelope(raw));
    });
  const reader = new WireReader(bytes);
  if (document === 'event') event(reader);
  else object(reader);
  return identity;
}

/** Calls back for each string and message, also for the last one if it is incomplete. */
function eachField(
  reader: WireReader,
  onField: (number: number, content: WireReader, isComplete: boolean) => unknown,
): void {
  try {
    while (!reader.isAtEnd) {
      const { number, wireType } = reader.tag();
      if (wireType !== WIRE.length) reader.skip(wireType);
      else {
        const length = Number(reader.varint());
        const isComplete = length <= reader.end - reader.position;
        const end = isComplete ? reader.position + length : reader.end;
        onField(number, new WireReader(reader.bytes, reader.position, end), isComplete);
        reader.position = end;
      }
    }
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
  }
}
