import { WIRE_TYPES, WireReader } from '../../src/kube/protobuf-schema/wire-reader.js';

/** Reads one field of a message. */
export interface FieldReader {
  /** The name in errors. */
  readonly name: string;
  readonly wireType: number;
  read(reader: WireReader): void;
}

/** Passes each field to its reader, by number; others are skipped. For messages that are not in the schema table. */
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
