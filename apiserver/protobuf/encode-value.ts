/** Values whose message differs from their JSON. Each function writes the content of a length-delimited field. */

import { WIRE_TYPES } from '../../src/kube/protobuf-schema/wire-reader.js';
import { encodeJson, isRecord } from '../json.js';
import type { BackwardWriter } from './backward-writer.js';

/** Go's zero time, which is null in JSON, is an empty message. */
export function encodeTime(writer: BackwardWriter, value: unknown): void {
  if (typeof value === 'string') writer.time(value);
}

/** { 1 string } */
export function encodeQuantity(writer: BackwardWriter, value: unknown): void {
  encodeStringField(writer, value === undefined || value === null ? '0' : String(value));
}

/** { 1 type, 2 integer, 3 string } */
export function encodeIntOrString(writer: BackwardWriter, value: unknown): void {
  const end = writer.length;
  writer.string(typeof value === 'string' ? value : '');
  writer.endLengthDelimited(3, end);
  writer.integer(typeof value === 'number' ? value : 0);
  writer.tag(2, WIRE_TYPES.varint);
  writer.integer(typeof value === 'string' ? 1 : 0);
  writer.tag(1, WIRE_TYPES.varint);
}

/** { 1 JSON }; empty for a missing value. */
export function encodeRawJson(writer: BackwardWriter, value: unknown): void {
  if (value !== undefined && value !== null) encodeStringField(writer, encodeJson(value));
}

/** { 1 repeated string } */
export function encodeStringList(writer: BackwardWriter, value: unknown): void {
  for (const item of Array.isArray(value) ? value.toReversed() : []) encodeStringField(writer, String(item));
}

/** The three union types around a schema; `encodeSchema` writes a schema as a message. */
export function encodeSchemaUnion(
  writer: BackwardWriter,
  type: 'schema-or-array' | 'schema-or-bool' | 'schema-or-string-array',
  value: unknown,
  encodeSchema: (value: unknown) => void,
): void {
  const schemaAt = (field: number, schema: unknown): void => {
    const end = writer.length;
    encodeSchema(schema);
    writer.endLengthDelimited(field, end);
  };
  if (type === 'schema-or-bool') {
    if (isRecord(value)) schemaAt(2, value);
    writer.integer(value === false ? 0 : 1);
    writer.tag(1, WIRE_TYPES.varint);
    return;
  }
  for (const item of Array.isArray(value) ? value.toReversed() : []) {
    if (type === 'schema-or-array') schemaAt(2, item);
    else {
      const end = writer.length;
      writer.string(String(item));
      writer.endLengthDelimited(2, end);
    }
  }
  if (isRecord(value)) schemaAt(1, value);
}

function encodeStringField(writer: BackwardWriter, value: string): void {
  const end = writer.length;
  writer.string(value);
  writer.endLengthDelimited(1, end);
}
