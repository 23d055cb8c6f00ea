import { isUtf8 } from 'node:buffer';
import {
  type ProtobufField,
  type ProtobufType,
  protobufMessage,
} from '../../../src/kube/protobuf-schema/protobuf-message.js';
import { ProtobufError, WIRE_TYPES, WireReader } from '../../../src/kube/protobuf-schema/wire-reader.js';
import { ValueScanner } from '../../split/value-scanner.js';
import { asciiJson } from '../ascii-json.js';
import { type Content, type MessageContent, type Messages, Parts, Union } from './content.js';
import type { DropTree } from './drop-tree.js';
import { goDuration, goString, goTime } from './go-format.js';

/** The wire types of the fields of messages that are not objects in JSON. */
const PARTS: Partial<Readonly<Record<ProtobufType, Readonly<Record<number, number>>>>> = {
  time: { 1: WIRE_TYPES.varint, 2: WIRE_TYPES.varint },
  'micro-time': { 1: WIRE_TYPES.varint, 2: WIRE_TYPES.varint },
  duration: { 1: WIRE_TYPES.varint },
  quantity: { 1: WIRE_TYPES.bytes },
  'int-or-string': { 1: WIRE_TYPES.varint, 2: WIRE_TYPES.varint, 3: WIRE_TYPES.bytes },
  'raw-extension': { 1: WIRE_TYPES.bytes },
  'raw-json': { 1: WIRE_TYPES.bytes },
  'string-list': { 1: WIRE_TYPES.bytes },
};

/** Go's zero time. */
const ZERO_TIME = -62_135_596_800n;

export function wireTypeOf(type: ProtobufType): number {
  if (type === 'bool' || type === 'int32' || type === 'int64') return WIRE_TYPES.varint;
  return type === 'float64' ? WIRE_TYPES.fixed64 : WIRE_TYPES.bytes;
}

/** The value at the reader's position, merged with the previous value of the field. */
export function contentOf(
  field: ProtobufField,
  previous: Content | undefined,
  reader: WireReader,
  messages: Messages,
  depth: number,
  drops?: DropTree,
): Content {
  switch (field.type) {
    case 'bool':
      return reader.bool();
    case 'int32':
      return reader.int32();
    case 'int64':
      return Number(reader.int64());
    case 'float64':
      return reader.double();
    case 'string':
      return goString(reader.bytes());
    case 'bytes':
      return reader.bytes();
    case 'message': {
      const content = (previous as MessageContent | undefined) ?? new Map();
      messages.merge(
        protobufMessage(field.message as string),
        content,
        new WireReader(reader.bytes()),
        depth + 1,
        drops,
      );
      return content;
    }
    case 'schema-or-array':
    case 'schema-or-bool':
    case 'schema-or-string-array':
      return mergeUnion(
        field,
        (previous as Union | undefined) ?? new Union(),
        new WireReader(reader.bytes()),
        messages,
        depth,
      );
    default:
      return mergeParts(field.type, previous as Parts | undefined, new WireReader(reader.bytes()), messages);
  }
}

function mergeParts(
  type: ProtobufType,
  previous: Parts | undefined,
  reader: WireReader,
  messages: Messages,
): Parts {
  // Go does not merge times.
  const isMerged = previous !== undefined && type !== 'time' && type !== 'micro-time';
  const parts = isMerged ? previous : new Parts();
  const wireTypes = PARTS[type] ?? {};
  while (!reader.isDone) {
    parts.isEmpty = false;
    reader.readTag(type);
    const expected = wireTypes[reader.field];
    if (expected === undefined) messages.skip(reader, type);
    else if (expected !== reader.wireType) {
      throw new ProtobufError('the message has a field of another type than its schema');
    } else if (expected === WIRE_TYPES.varint) parts.numbers.set(reader.field, BigInt(reader.int64()));
    else parts.addString(reader.field, reader.bytes());
  }
  return parts;
}

function mergeUnion(
  field: ProtobufField,
  union: Union,
  reader: WireReader,
  messages: Messages,
  depth: number,
): Union {
  const message = protobufMessage(field.message as string);
  const isBool = field.type === 'schema-or-bool';
  while (!reader.isDone) {
    reader.readTag(message.name);
    const number = reader.field;
    if (number > 2) {
      messages.skip(reader, field.type);
      continue;
    }
    const expected = isBool && number === 1 ? WIRE_TYPES.varint : WIRE_TYPES.bytes;
    if (reader.wireType !== expected) {
      throw new ProtobufError('the message has a field of another type than its schema');
    }
    if (expected === WIRE_TYPES.varint) union.isAllowed = reader.bool();
    else if (number === (isBool ? 2 : 1)) {
      union.schema ??= new Map();
      messages.merge(message, union.schema, new WireReader(reader.bytes()), depth + 1);
    } else if (field.type === 'schema-or-string-array') union.strings.push(goString(reader.bytes()));
    else {
      const schema: MessageContent = new Map();
      messages.merge(message, schema, new WireReader(reader.bytes()), depth + 2);
      union.schemas.push(schema);
    }
  }
  return union;
}

/** The value of a field that was not sent. */
export function emptyContent(field: ProtobufField): Content {
  switch (field.type) {
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'float64':
      return 0;
    case 'string':
      return '';
    case 'bytes':
      return Buffer.alloc(0);
    case 'message':
      return new Map();
    case 'schema-or-array':
    case 'schema-or-bool':
    case 'schema-or-string-array':
      return new Union();
    default:
      return new Parts();
  }
}

/** The value as in JSON. */
export function jsonOf(field: ProtobufField, content: Content, messages: Messages, depth: number): unknown {
  if (content instanceof Parts) return jsonOfParts(field.type, content, messages, depth);
  if (content instanceof Union) return jsonOfUnion(field, content, messages, depth);
  if (Buffer.isBuffer(content)) return content.toString('base64');
  if (content instanceof Map) {
    return messages.finish(protobufMessage(field.message as string), content as MessageContent, depth + 1);
  }
  if (typeof content === 'number' && !Number.isFinite(content)) {
    throw new ProtobufError('the message has a number that JSON cannot represent');
  }
  return content;
}

function jsonOfParts(type: ProtobufType, parts: Parts, messages: Messages, depth: number): unknown {
  const first = BigInt.asIntN(64, parts.numbers.get(1) ?? 0n);
  const second = Number(BigInt.asIntN(32, parts.numbers.get(2) ?? 0n));
  switch (type) {
    case 'time':
      return parts.isEmpty || first === ZERO_TIME ? null : goTime(first, undefined);
    case 'micro-time':
      return parts.isEmpty || (first === ZERO_TIME && Math.trunc(second / 1000) === 0)
        ? null
        : goTime(first, Math.trunc(second / 1000));
    case 'duration':
      return goDuration(first);
    case 'quantity':
      return quantityOf(parts);
    case 'int-or-string':
      return intOrStringOf(Number(BigInt.asIntN(32, parts.numbers.get(1) ?? 0n)), second, parts);
    case 'string-list':
      messages.checkDepth(depth + 1);
      return (parts.strings.get(1) ?? []).map(goString);
    default:
      return rawJsonOf(parts.strings.get(1)?.at(-1), messages.maxDepth - depth);
  }
}

/** The server writes quantities in their canonical form. */
function quantityOf(parts: Parts): string {
  const bytes = parts.strings.get(1)?.at(-1);
  const quantity = bytes === undefined ? '0' : goString(bytes);
  if (quantity === '') throw new ProtobufError('the message has an empty quantity');
  return quantity;
}

function intOrStringOf(type: number, integer: number, parts: Parts): string | number {
  if (type === 0) return integer;
  if (type === 1) return goString(parts.strings.get(3)?.at(-1) ?? Buffer.alloc(0));
  throw new ProtobufError('the message has an IntOrString that is neither a number nor a string');
}

function jsonOfUnion(field: ProtobufField, union: Union, messages: Messages, depth: number): unknown {
  const message = protobufMessage(field.message as string);
  if (union.schemas.length > 0) {
    messages.checkDepth(depth + 1);
    return union.schemas.map((schema) => messages.finish(message, schema, depth + 2));
  }
  if (union.strings.length > 0) {
    messages.checkDepth(depth + 1);
    return union.strings;
  }
  if (union.schema !== undefined) return messages.finish(message, union.schema, depth + 1);
  return field.type === 'schema-or-bool' ? union.isAllowed : null;
}

function rawJsonOf(bytes: Buffer | undefined, maxDepth: number): unknown {
  if (bytes === undefined || bytes.length === 0) return null;
  const scanner = new ValueScanner();
  scanner.scan(bytes, 0);
  if (scanner.maxDepth > maxDepth) throw new ProtobufError('the object is nested too deep');
  try {
    if (isUtf8(bytes)) return JSON.parse(asciiJson(bytes));
    throw new SyntaxError('not UTF-8');
  } catch {
    throw new ProtobufError('the message contains invalid JSON');
  }
}
