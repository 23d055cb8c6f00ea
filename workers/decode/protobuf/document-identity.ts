import type { DocumentIdentity } from '../document-identity.js';
import { MAGIC } from './envelope.js';
import { ProtobufError } from './protobuf-error.js';
import { WIRE, WireReader } from './wire-reader.js';

type Head = { -readonly [field in keyof DocumentIdentity]: DocumentIdentity[field] };

/** Of ObjectMeta. */
const METADATA_FIELDS: Readonly<Record<number, 'name' | 'namespace' | 'resourceVersion'>> = {
  1: 'name',
  3: 'namespace',
  6: 'resourceVersion',
};

/**
 * Reads `metadata.name`, `namespace` and `resourceVersion` (and the type of an event) of an object that cannot be read, from as many of its
 * first bytes as are there: such an object is reported by its key, if its key stands before the trouble.
 */
export function readProtobufIdentity(bytes: Uint8Array, document: 'item' | 'event'): DocumentIdentity {
  const head: Head = {};
  const object = (reader: WireReader): void =>
    eachText(reader, (number, content) => {
      if (number === 1) metadata(content);
    });
  const metadata = (reader: WireReader): void =>
    eachText(reader, (number, content, isWhole) => {
      const field = METADATA_FIELDS[number];
      if (field !== undefined && isWhole && !content.isAtEnd) head[field] = content.text();
    });
  const envelope = (reader: WireReader): void => {
    if (MAGIC.some((byte, i) => reader.bytes[reader.position + i] !== byte)) return;
    reader.position += MAGIC.length;
    eachText(reader, (number, content) => {
      if (number === 2) object(content);
    });
  };
  const event = (reader: WireReader): void =>
    eachText(reader, (number, content, isWhole) => {
      if (number === 1 && isWhole) head.eventType = content.text();
      if (number === 2) eachText(content, (field, raw) => field === 1 && envelope(raw));
    });
  const reader = new WireReader(bytes);
  if (document === 'event') event(reader);
  else object(reader);
  return head;
}

/** Texts and messages, as far as there are any; one that goes on beyond the end is given as far as it goes. */
function eachText(
  reader: WireReader,
  onText: (number: number, content: WireReader, isWhole: boolean) => unknown,
): void {
  try {
    while (!reader.isAtEnd) {
      const { number, wireType } = reader.tag();
      if (wireType !== WIRE.length) reader.skip(wireType);
      else {
        const length = Number(reader.varint());
        const isWhole = length <= reader.end - reader.position;
        const end = isWhole ? reader.position + length : reader.end;
        onText(number, new WireReader(reader.bytes, reader.position, end), isWhole);
        reader.position = end;
      }
    }
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
  }
}
