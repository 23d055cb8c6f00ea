import { type ProtobufField, protobufMessage } from '../../src/kube/protobuf-schema/protobuf-message.js';
import { ProtobufError, WIRE_TYPES, WireReader } from '../../src/kube/protobuf-schema/wire-reader.js';
import { isRecord } from '../json.js';
import { decodeScalar, isScalar, PACKABLE } from './decode-scalar.js';
import { bytesField, readFields, varintField } from './read-fields.js';

/**
 * Go's stack grows with the nesting of the input; JavaScript's does not. Only schemas nest without a limit, and
 * real ones are far from this one.
 */
const MAX_DEPTH = 400;

type Json = Record<string, unknown>;

/** The union types around a schema. */
type SchemaUnion = 'schema-or-array' | 'schema-or-bool' | 'schema-or-string-array';

/** Fields by number, by message. */
const numbered = new Map<string, ReadonlyMap<number, ProtobufField>>();

/**
 * The JSON form of a message, without fields that Go omits when empty or that were not sent. Unknown fields are
 * skipped; a message that occurs twice is merged, as protobuf requires. Quantities stay as they were sent. Throws
 * nothing but ProtobufError.
 */
export function decodeMessage(message: string, bytes: Buffer): Json {
  return decodeInto({}, { message, depth: 0 }, bytes);
}

interface Place {
  readonly message: string;
  readonly depth: number;
}

/** Decodes into the object of an earlier message for the same field, or of an inlined one. */
function decodeInto(into: Json, place: Place, bytes: Buffer): Json {
  if (place.depth > MAX_DEPTH) throw new ProtobufError(`proto: messages nest deeper than ${MAX_DEPTH}`);
  const fields = fieldsOf(place.message);
  const reader = new WireReader(bytes);
  while (!reader.isDone) {
    reader.readTag(place.message.slice(place.message.lastIndexOf('.') + 1));
    const field = fields.get(reader.field);
    if (field === undefined) reader.skip();
    else if (field.isInlined)
      decodeInto(into, innerOf(field, place.depth), lengthDelimited(reader, field.name));
    else readField(into, field, reader, place.depth);
  }
  return into;
}

function fieldsOf(message: string): ReadonlyMap<number, ProtobufField> {
  const known = numbered.get(message);
  if (known !== undefined) return known;
  const fields = new Map(protobufMessage(message).fields.map((field) => [field.number, field]));
  numbered.set(message, fields);
  return fields;
}

function innerOf({ message = '' }: ProtobufField, depth: number): Place {
  return { message, depth: depth + 1 };
}

function readField(into: Json, field: ProtobufField, reader: WireReader, depth: number): void {
  const { name } = field;
  switch (field.container) {
    case 'list':
      for (const item of readItems(field, reader, depth)) listIn(into, name).push(item);
      return;
    case 'map': {
      const [key, value] = decodeEntry(field, lengthDelimited(reader, name), depth);
      define(recordIn(into, name), key, value);
      return;
    }
    case 'one':
      if (field.type === 'message') {
        decodeInto(recordIn(into, name), innerOf(field, depth), lengthDelimited(reader, name));
      } else if (field.type === 'string-list') {
        listIn(into, name).push(...decodeStrings(lengthDelimited(reader, name)));
      } else assign(into, field, readValue(field, reader, name, depth));
  }
}

/** One value, or all values of a packed field. */
function readItems(field: ProtobufField, reader: WireReader, depth: number): unknown[] {
  const packable = isScalar(field.type) ? PACKABLE[field.type] : undefined;
  if (packable === undefined || reader.wireType !== WIRE_TYPES.bytes) {
    return [readValue(field, reader, field.name, depth) ?? null];
  }
  const packed = new WireReader(reader.bytes());
  const items: unknown[] = [];
  while (!packed.isDone) items.push(packable(packed));
  return items;
}

/** A single value; undefined where Go's JSON would be null. */
function readValue(field: ProtobufField, reader: WireReader, name: string, depth: number): unknown {
  if (isScalar(field.type)) return decodeScalar(field.type, reader, goName(name));
  const bytes = lengthDelimited(reader, name);
  switch (field.type) {
    case 'message':
      return decodeInto({}, innerOf(field, depth), bytes);
    case 'string-list':
      return decodeStrings(bytes);
    case 'schema-or-array':
    case 'schema-or-bool':
    case 'schema-or-string-array':
      return decodeUnion(field.type, bytes, innerOf(field, depth));
    default:
      throw new Error(`no field of a built-in kind holds a ${field.type}`);
  }
}

/** A map is a list of messages { 1 key, 2 value }. */
function decodeEntry(field: ProtobufField, bytes: Buffer, depth: number): [string, unknown] {
  let key = '';
  let value = zeroOf(field);
  const reader = new WireReader(bytes);
  while (!reader.isDone) {
    reader.readTag('Entry');
    if (reader.field === 1) key = lengthDelimited(reader, 'key').toString();
    else if (reader.field !== 2) reader.skip();
    else value = readValue(field, reader, 'value', depth) ?? null;
  }
  return [key, value];
}

/** ExtraValue, Verbs: { 1 repeated string } */
function decodeStrings(bytes: Buffer): string[] {
  const strings: string[] = [];
  readFields(bytes, 'Items', { 1: bytesField('Items', (item) => strings.push(item.toString())) });
  return strings;
}

/** Undefined where Go's JSON would be null. */
function decodeUnion(union: SchemaUnion, bytes: Buffer, place: Place): unknown {
  let schema: Json | undefined;
  let allows = false;
  const list: unknown[] = [];
  const schemaField = bytesField('Schema', (message) => {
    schema = decodeInto(schema ?? {}, place, message);
  });
  const allowsField = varintField('Allows', (reader) => {
    allows = reader.bool();
  });
  const listField = bytesField(union === 'schema-or-string-array' ? 'Property' : 'JSONSchemas', (item) => {
    list.push(union === 'schema-or-string-array' ? item.toString() : decodeInto({}, place, item));
  });
  if (union === 'schema-or-bool') {
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

function assign(into: Json, field: ProtobufField, value: unknown): void {
  const isLeftOut =
    field.isOmittedWhenEmpty && !field.isPointer && (value === '' || value === 0 || value === false);
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

/** The value of a map entry that has only a key. */
function zeroOf({ type }: ProtobufField): unknown {
  if (type === 'message') return {};
  if (type === 'quantity') return '0';
  return type === 'string' || type === 'bytes' ? '' : null;
}

/** An approximation: Go capitalizes some abbreviations. */
function goName(name: string): string {
  return name === 'metadata' ? 'ObjectMeta' : name.charAt(0).toUpperCase() + name.slice(1);
}
