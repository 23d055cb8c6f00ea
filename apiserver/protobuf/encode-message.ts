/** Encodes objects from their JSON form as kube-apiserver's generated code does: fields by number, maps by key. */

import { type ProtobufField, protobufMessage } from '../../src/kube/protobuf-schema/protobuf-message.js';
import { WIRE_TYPES } from '../../src/kube/protobuf-schema/wire-reader.js';
import { isRecord, LongInteger } from '../json.js';
import { BackwardWriter } from './backward-writer.js';
import {
  encodeIntOrString,
  encodeQuantity,
  encodeRawJson,
  encodeSchemaUnion,
  encodeStringList,
  encodeTime,
} from './encode-value.js';

type Json = Readonly<Record<string, unknown>>;

const NOTHING: Json = {};

/** Fields from the last number to the first, as they are written; by message. */
const reversed = new Map<string, readonly ProtobufField[]>();

/** Fields that the message does not have are omitted, `kind` and `apiVersion` too. */
export function encodeMessage(message: string, object: Json): Buffer {
  const writer = new BackwardWriter();
  writeMessage(writer, message, object);
  return writer.take();
}

export function writeMessage(writer: BackwardWriter, message: string, object: Json): void {
  for (const field of reversedFields(message)) {
    if (field.isInlined) writeOne(writer, field, object);
    else writeField(writer, field, Object.hasOwn(object, field.name) ? object[field.name] : undefined);
  }
}

function reversedFields(message: string): readonly ProtobufField[] {
  const known = reversed.get(message);
  if (known !== undefined) return known;
  const fields = protobufMessage(message).fields.toSorted((a, b) => b.number - a.number);
  reversed.set(message, fields);
  return fields;
}

function writeField(writer: BackwardWriter, field: ProtobufField, value: unknown): void {
  switch (field.container) {
    case 'list':
      for (const item of Array.isArray(value) ? value.toReversed() : []) writeOne(writer, field, item);
      return;
    case 'map':
      if (isRecord(value)) writeEntries(writer, field, value);
      return;
    case 'one': {
      const isNilable = field.isPointer || field.type === 'bytes' || field.type === 'string-list';
      if (isNilable && (value === undefined || value === null)) return;
      writeOne(writer, field, value);
    }
  }
}

/** { 1 key, 2 value }, in the order of the keys' bytes. */
function writeEntries(writer: BackwardWriter, field: ProtobufField, entries: Json): void {
  const keys = Object.keys(entries).sort((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a)));
  for (const key of keys) {
    const end = writer.length;
    writeOne(writer, { ...field, number: 2 }, entries[key]);
    const keyEnd = writer.length;
    writer.string(key);
    writer.endLengthDelimited(1, keyEnd);
    writer.endLengthDelimited(field.number, end);
  }
}

/** A single value with its tag; a missing value is the zero of its type. */
function writeOne(writer: BackwardWriter, field: ProtobufField, value: unknown): void {
  switch (field.type) {
    case 'bool':
      writer.integer(value === true ? 1 : 0);
      writer.tag(field.number, WIRE_TYPES.varint);
      return;
    case 'int32':
    case 'int64':
      writer.integer(value instanceof LongInteger || typeof value === 'number' ? value : 0);
      writer.tag(field.number, WIRE_TYPES.varint);
      return;
    case 'float64':
      writer.double(numberOf(value));
      writer.tag(field.number, WIRE_TYPES.fixed64);
      return;
    default: {
      const end = writer.length;
      writeContent(writer, field, value);
      writer.endLengthDelimited(field.number, end);
    }
  }
}

function writeContent(writer: BackwardWriter, { type, message }: ProtobufField, value: unknown): void {
  const writeNested = (nested: unknown): void =>
    writeMessage(writer, message ?? '', isRecord(nested) ? nested : NOTHING);
  switch (type) {
    case 'string':
      writer.string(typeof value === 'string' ? value : '');
      return;
    case 'bytes':
      writer.bytes(Buffer.from(typeof value === 'string' ? value : '', 'base64'));
      return;
    case 'message':
      writeNested(value);
      return;
    case 'time':
    case 'micro-time':
      encodeTime(writer, value);
      return;
    case 'quantity':
      encodeQuantity(writer, value);
      return;
    case 'int-or-string':
      encodeIntOrString(writer, value);
      return;
    case 'raw-extension':
    case 'raw-json':
      encodeRawJson(writer, value);
      return;
    case 'string-list':
      encodeStringList(writer, value);
      return;
    case 'schema-or-array':
    case 'schema-or-bool':
    case 'schema-or-string-array':
      encodeSchemaUnion(writer, type, value, writeNested);
      return;
    default:
      throw new Error(`no field of a built-in kind holds a ${type}`);
  }
}

function numberOf(value: unknown): number {
  if (value instanceof LongInteger) return Number(value.digits);
  return typeof value === 'number' ? value : 0;
}
