/** Kubernetes' protobuf messages and their JSON form, parsed from the table on first use. */

import { PROTOBUF_MESSAGES } from './table.js';

/** docs/decisions/protobuf-schema.md describes each one's encoding in protobuf and JSON. */
export type ProtobufType =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'float64'
  | 'bytes'
  | 'message'
  | 'time'
  | 'micro-time'
  | 'duration'
  | 'quantity'
  | 'int-or-string'
  | 'raw-extension'
  | 'raw-json'
  | 'string-list'
  | 'schema-or-array'
  | 'schema-or-bool'
  | 'schema-or-string-array';

export interface ProtobufField {
  readonly number: number;
  /** Empty for an inlined message. */
  readonly name: string;
  /** `map`: keys are strings; each entry is a message { 1 key, 2 value }. */
  readonly container: 'one' | 'list' | 'map';
  readonly type: ProtobufType;
  /** Of the value, or of the elements of a list or map. Set for `message`, and for the unions of schemas. */
  readonly message: string | undefined;
  /** The encoding distinguishes the zero value from an absent one. Otherwise Go always sends the field. */
  readonly isPointer: boolean;
  /** Go's `omitempty`: JSON has the field only if it is not nil (a pointer) or not the zero value. */
  readonly isOmittedWhenEmpty: boolean;
  /** JSON has the fields of the message in place of the message. */
  readonly isInlined: boolean;
}

export interface ProtobufMessage {
  readonly name: string;
  /** In the order of Go's JSON, which differs from that of the numbers. */
  readonly fields: readonly ProtobufField[];
}

/** Go may not send the field, as nil. What is not nullable and not sent is a field that the server does not know. */
export function isNullable({ isPointer, container, type }: ProtobufField): boolean {
  return isPointer || container !== 'one' || type === 'bytes' || type === 'string-list';
}

const TYPES: Readonly<Record<string, ProtobufType>> = {
  s: 'string',
  b: 'bool',
  i: 'int32',
  l: 'int64',
  f: 'float64',
  y: 'bytes',
  '@': 'message',
  t: 'time',
  m: 'micro-time',
  d: 'duration',
  q: 'quantity',
  x: 'int-or-string',
  e: 'raw-extension',
  r: 'raw-json',
  n: 'string-list',
  a: 'schema-or-array',
  o: 'schema-or-bool',
  p: 'schema-or-string-array',
};

const CONTAINERS: Readonly<Record<string, ProtobufField['container']>> = { '[]': 'list', '{}': 'map' };

/** The alternative to a list, a boolean or strings in the unions. */
const SCHEMA_MESSAGE = 'apiextensions.v1.JSONSchemaProps';

// name, inlined, omitempty, pointer, number, container, type, message
const FIELD = /^([^?*^:]*)(\^)?(\?)?(\*)?:(\d+)(\[\]|\{\})?([a-z@])(.*)$/;

let lines: ReadonlyMap<string, string> | undefined;
const parsed = new Map<string, ProtobufMessage>();

/** By the name that `protobufMessageOfKind` and fields use. */
export function protobufMessage(name: string): ProtobufMessage {
  const cached = parsed.get(name);
  if (cached !== undefined) return cached;
  lines ??= readLines();
  const line = lines.get(name);
  if (line === undefined) throw new Error(`no message ${name} in table.ts`);
  const fields = line === '' ? [] : line.split(' ').map((token) => parseField(token, name));
  const message: ProtobufMessage = { name, fields };
  parsed.set(name, message);
  return message;
}

export function protobufMessageNames(): readonly string[] {
  lines ??= readLines();
  return [...lines.keys()];
}

function readLines(): ReadonlyMap<string, string> {
  return new Map(
    PROTOBUF_MESSAGES.split('\n').map((line) => {
      const [name = ''] = line.split(' ', 1);
      return [name, line.slice(name.length + 1)];
    }),
  );
}

function parseField(token: string, owner: string): ProtobufField {
  const [, name = '', inlined, optional, pointer, number, container = '', letter = '', reference = ''] =
    FIELD.exec(token) ?? [];
  const type = TYPES[letter];
  if (type === undefined) throw new Error(`unreadable field ${token} of ${owner} in table.ts`);
  return {
    number: Number(number),
    name,
    container: CONTAINERS[container] ?? 'one',
    type,
    message: messageOf(type, reference, owner),
    isPointer: pointer !== undefined,
    isOmittedWhenEmpty: optional !== undefined,
    isInlined: inlined !== undefined,
  };
}

function messageOf(type: ProtobufType, reference: string, owner: string): string | undefined {
  if (type === 'message') {
    return reference.startsWith('.') ? owner.slice(0, owner.lastIndexOf('.')) + reference : reference;
  }
  return type.startsWith('schema-or-') ? SCHEMA_MESSAGE : undefined;
}
