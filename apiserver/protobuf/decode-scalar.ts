import type { ProtobufType } from '../../src/kube/protobuf-schema/protobuf-message.js';
import { ProtobufError, WIRE_TYPES, type WireReader } from '../../src/kube/protobuf-schema/wire-reader.js';
import { formatTime } from '../formats/time-format.js';
import { goSyntaxError } from '../go-json-error.js';
import { LongInteger, parseJson } from '../json.js';
import { bytesField, readFields, varintField } from './read-fields.js';

/** 9999-12-31T23:59:59Z and 0001-01-01T00:00:00Z: the range of RFC 3339. */
const LAST_SECOND = 253_402_300_799;
const FIRST_SECOND = -62_135_596_800;
const NANOSECONDS = 1e9;

/** Types whose JSON is a single value, not an object. */
export type Scalar =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'float64'
  | 'bytes'
  | 'time'
  | 'micro-time'
  | 'quantity'
  | 'int-or-string'
  | 'raw-extension'
  | 'raw-json';

const OTHERS: ReadonlySet<ProtobufType> = new Set<Exclude<ProtobufType, Scalar>>([
  'message',
  'duration',
  'string-list',
  'schema-or-array',
  'schema-or-bool',
  'schema-or-string-array',
]);

export function isScalar(type: ProtobufType): type is Scalar {
  return !OTHERS.has(type);
}

/** Scalars that can be packed. */
export const PACKABLE: Readonly<Partial<Record<Scalar, (reader: WireReader) => unknown>>> = {
  bool: (reader) => reader.bool(),
  int32: (reader) => reader.int32(),
  int64: (reader) => jsonInteger(reader.int64()),
  float64: (reader) => finite(reader.double()),
};

/**
 * The value of the last tag, in its JSON form; undefined where Go's JSON would be null. What is no protobuf scalar
 * comes as a message:
 *
 *   time            { 1 seconds, 2 nanos }    nothing in it is the zero time, which JSON shows as null
 *   quantity        { 1 text }
 *   int-or-string   { 1 type: 0 or 1, 2 integer, 3 string }
 *   raw-…           { 1 JSON text }
 */
export function decodeScalar(scalar: Scalar, reader: WireReader, goName: string): unknown {
  reader.expect(wireTypeOf(scalar), goName);
  const packable = PACKABLE[scalar];
  if (packable !== undefined) return packable(reader);
  const bytes = reader.bytes();
  switch (scalar) {
    case 'bytes':
      return bytes.toString('base64');
    case 'time':
    case 'micro-time':
      return bytes.length === 0 ? undefined : decodeTime(scalar, bytes);
    case 'quantity':
      return decodeQuantity(bytes);
    case 'int-or-string':
      return decodeIntOrString(bytes);
    case 'raw-extension':
    case 'raw-json':
      return decodeAny(bytes);
    default:
      return bytes.toString();
  }
}

function jsonInteger(value: number | bigint): number | LongInteger {
  return typeof value === 'bigint' ? new LongInteger(String(value)) : value;
}

function wireTypeOf(scalar: Scalar): number {
  if (scalar === 'float64') return WIRE_TYPES.fixed64;
  return scalar in PACKABLE ? WIRE_TYPES.varint : WIRE_TYPES.bytes;
}

/** Go encodes times in whole seconds, and ignores nanoseconds. */
function decodeTime(scalar: 'time' | 'micro-time', bytes: Buffer): string {
  let whole: unknown = 0;
  let nanos = 0;
  readFields(bytes, 'Timestamp', {
    1: varintField('Seconds', (reader) => {
      whole = reader.int64();
    }),
    2: varintField('Nanos', (reader) => {
      nanos = reader.int32();
    }),
  });
  const hasMicros = scalar === 'micro-time';
  const carry = hasMicros ? Math.floor(nanos / NANOSECONDS) : 0;
  const seconds = typeof whole === 'number' ? whole + carry : Number.NaN;
  if (!(seconds >= FIRST_SECOND && seconds <= LAST_SECOND)) throw new ProtobufError('time is out of range');
  const time = formatTime(seconds * 1000);
  if (!hasMicros) return time;
  const micros = Math.floor((nanos - carry * NANOSECONDS) / 1000);
  return time.replace('Z', `.${String(micros).padStart(6, '0')}Z`);
}

function decodeQuantity(bytes: Buffer): string {
  let quantity = '0';
  readFields(bytes, 'Quantity', {
    1: bytesField('String_', (content) => {
      quantity = content.toString();
    }),
  });
  return quantity;
}

function decodeIntOrString(bytes: Buffer): number | string {
  let type: unknown = 0;
  let integer = 0;
  let string = '';
  readFields(bytes, 'IntOrString', {
    1: varintField('Type', (reader) => {
      type = reader.int64();
    }),
    2: varintField('IntVal', (reader) => {
      integer = reader.int32();
    }),
    3: bytesField('StrVal', (content) => {
      string = content.toString();
    }),
  });
  if (type === 0) return integer;
  if (type === 1) return string;
  throw new ProtobufError('impossible IntOrString.Type');
}

function decodeAny(bytes: Buffer): unknown {
  let json: Buffer = Buffer.alloc(0);
  readFields(bytes, 'JSON', {
    1: bytesField('Raw', (raw) => {
      json = raw;
    }),
  });
  if (json.length === 0) return undefined;
  try {
    return parseJson(json.toString());
  } catch {
    throw new ProtobufError(goSyntaxError(json) ?? 'invalid JSON');
  }
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new ProtobufError(`json: unsupported value: ${value}`);
}
