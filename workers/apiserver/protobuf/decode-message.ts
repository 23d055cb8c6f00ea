import { isRecord } from '../json.js';
import type { FieldSchema, Shape } from '../schemas/struct-schema.js';
import { decodeScalar, PACKABLE } from './decode-scalar.js';
import { type MessageSchema, messageSchema, type SchemaUnion, type TableField } from './message-schema.js';
import { ProtobufError } from './protobuf-error.js';
import { bytesField, readFields, varintField } from './read-fields.js';
import { WIRE_TYPES, WireReader } from './wire-reader.js';

/**
 * Go's stack grows as deep as the bytes nest; ours does not, and what comes after recurses too. Only schemas nest
 * without end, and none that people write comes near.
 */
const MAX_DEPTH = 400;

const SCHEMA = 'apiextensions.JSONSchemaProps';

type Json = Record<string, unknown>;

/**
 * A struct of go-structs.ts as its JSON would be: without what Go leaves out when empty, and without what was not
 * sent. Fields that the struct does not have are skipped, a message that comes twice is merged, as protobuf wants it.
 * Quantities are as they were sent. Throws ProtobufError, and nothing else.
 */
export function decodeMessage(struct: string, bytes: Buffer): Json {
  return decodeStruct({ struct, depth: 0 }, bytes);
}

interface Place {
  readonly struct: string;
  readonly depth: number;
}

/** Into the object that an earlier message for the same field has left, if there is one. */
function decodeStruct(place: Place, bytes: Buffer, into: Json = {}): Json {
  if (place.depth > MAX_DEPTH) throw new ProtobufError(`proto: messages nest deeper than ${MAX_DEPTH}`);
  readMessage(into, messageSchema(place.struct), bytes, place);
  return into;
}

function readMessage(into: Json, schema: MessageSchema, bytes: Buffer, place: Place): void {
  const reader = new WireReader(bytes);
  while (!reader.isDone) {
    reader.readTag(place.struct.slice(place.struct.indexOf('.') + 1));
    const known = schema.get(reader.field);
    if (known === undefined) reader.skip();
    else if (known.type === 'field') readField(into, known, reader, place.depth);
    else readMessage(into, known.fields, lengthDelimited(reader, place.struct), place);
  }
}

function readField(into: Json, { field, union }: TableField, reader: WireReader, depth: number): void {
  const { shape, name } = field;
  switch (shape.type) {
    case 'list':
      for (const item of readItems(shape.element, reader, name, depth)) listIn(into, name).push(item);
      return;
    case 'map': {
      const [key, value] = decodeEntry(shape.element, union, lengthDelimited(reader, name), depth);
      define(recordIn(into, name), key, value);
      return;
    }
    case 'struct': {
      const bytes = lengthDelimited(reader, name);
      const inner = { struct: shape.name, depth: depth + 1 };
      if (union === undefined) decodeStruct(inner, bytes, recordIn(into, name));
      else assign(into, field, decodeUnion(union, bytes, depth));
      return;
    }
    case 'scalar':
      assign(into, field, decodeScalar(shape.scalar, reader, goName(name)));
  }
}

/** One, or as many as are packed together. */
function readItems(element: Shape, reader: WireReader, name: string, depth: number): unknown[] {
  const packable = element.type === 'scalar' ? PACKABLE[element.scalar] : undefined;
  if (packable === undefined || reader.wireType !== WIRE_TYPES.bytes) {
    return [readElement(element, reader, name, depth)];
  }
  const packed = new WireReader(reader.bytes());
  const items: unknown[] = [];
  while (!packed.isDone) items.push(packable(packed));
  return items;
}

/** Neither lists nor maps hold lists or maps, which protobuf could not say. */
function readElement(shape: Shape, reader: WireReader, name: string, depth: number): unknown {
  if (shape.type === 'scalar') return decodeScalar(shape.scalar, reader, goName(name)) ?? null;
  if (shape.type !== 'struct') throw new Error(`a ${shape.type} in ${name}; this is a bug in go-structs.ts`);
  return decodeStruct({ struct: shape.name, depth: depth + 1 }, lengthDelimited(reader, name));
}

/** A map is a list of messages { 1 key, 2 value }. */
function decodeEntry(
  element: Shape,
  union: SchemaUnion | undefined,
  bytes: Buffer,
  depth: number,
): [string, unknown] {
  let key = '';
  let value = union === undefined ? zeroOf(element) : null;
  const reader = new WireReader(bytes);
  while (!reader.isDone) {
    reader.readTag('Entry');
    if (reader.field === 1) key = lengthDelimited(reader, 'key').toString();
    else if (reader.field !== 2) reader.skip();
    else if (union === undefined) value = readElement(element, reader, 'value', depth);
    else value = decodeUnion(union, lengthDelimited(reader, 'value'), depth) ?? null;
  }
  return [key, value];
}

/** Undefined where Go's JSON would be null. */
function decodeUnion(union: SchemaUnion, bytes: Buffer, depth: number): unknown {
  const place = { struct: SCHEMA, depth: depth + 1 };
  let schema: Json | undefined;
  let allows = false;
  const list: unknown[] = [];
  const schemaField = bytesField('Schema', (message) => {
    schema = decodeStruct(place, message, schema);
  });
  const allowsField = varintField('Allows', (reader) => {
    allows = reader.bool();
  });
  const listField = bytesField(union === 'strings' ? 'Property' : 'JSONSchemas', (item) => {
    list.push(union === 'strings' ? item.toString() : decodeStruct(place, item));
  });
  if (union === 'bool') {
    readFields(bytes, 'JSONSchemaPropsOrBool', { 1: allowsField, 2: schemaField });
    return schema ?? allows;
  }
  readFields(bytes, 'JSONSchemaPropsOrArray', { 1: schemaField, 2: listField });
  return list.length > 0 ? list : schema;
}

function lengthDelimited(reader: WireReader, name: string): Buffer {
  reader.expect(WIRE_TYPES.bytes, goName(name));
  return reader.bytes();
}

function assign(into: Json, field: FieldSchema, value: unknown): void {
  const isLeftOut = field.isOptional && !field.isPointer && (value === '' || value === 0 || value === false);
  if (value === undefined || isLeftOut) delete into[field.name];
  else into[field.name] = value;
}

function recordIn(into: Json, name: string): Json {
  const there = into[name];
  if (isRecord(there)) return there;
  const record: Json = {};
  into[name] = record;
  return record;
}

function listIn(into: Json, name: string): unknown[] {
  const there = into[name];
  if (Array.isArray(there)) return there;
  const list: unknown[] = [];
  into[name] = list;
  return list;
}

/** Assignment would not make a member of `__proto__`. */
function define(record: Json, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true });
}

/** The value of a map's entry that has only a key. */
function zeroOf(element: Shape): unknown {
  if (element.type === 'struct') return {};
  return element.type === 'scalar' && element.scalar === 'quantity' ? '0' : '';
}

/** Nearly always: Go writes some short words in capitals. */
function goName(name: string): string {
  return name === 'metadata' ? 'ObjectMeta' : name.charAt(0).toUpperCase() + name.slice(1);
}
