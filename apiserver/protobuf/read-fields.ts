import { WIRE_TYPES, WireReader } from './wire-reader.js';

/** What to do with a field of a message. */
export interface FieldReader {
  /** As errors call it. */
  readonly name: string;
  readonly wireType: number;
  read(reader: WireReader): void;
}

/** Hands each field to its reader, by number; others are skipped. A message without a table is read this way. */
export function readFields(
  bytes: Buffer,
  message: string,
  fields: Readonly<Record<number, FieldReader>>,
): void {
  const reader = new WireReader(bytes);
  while (!reader.isDone) {
    reader.readTag(message);
    const field = fields[reader.field];
    if (field === undefined) reader.skip();
    else {
      reader.expect(field.wireType, field.name);
      field.read(reader);
    }
  }
}

export function varintField(name: string, read: (reader: WireReader) => void): FieldReader {
  return { name, wireType: WIRE_TYPES.varint, read };
}

export function bytesField(name: string, read: (bytes: Buffer) => void): FieldReader {
  return { name, wireType: WIRE_TYPES.bytes, read: (reader) => read(reader.bytes()) };
}
