/**
 * What the messages of one kind are in JSON. Written by workers/decode/protobuf/schema-image.ts, which knows the same layout; addresses in it are
 * relative to its start until `newSchema` has seen them.
 *
 *     Schema     message of the object │ messages │ number of fields │ fields
 *     Message    the highest number │ fields by number │ which have to be there (64 bits) │ fields by bit
 *     Field      see below; one whose kind is NONE stands for a number that is not used
 */

import { internKey, Key } from '../keys';
import { reserve } from '../memory';
import { table } from '../table';
import { clearGuesses, GUESS_BYTES, setGuesses } from './strings';
import { Trail } from './trails';

// Kinds of values, in the order of KINDS in workers/decode/protobuf/schema-image.ts.
export const NONE: u32 = 0;
export const STRING: u32 = 1;
export const BOOL: u32 = 2;
export const INT32: u32 = 3;
export const INT64: u32 = 4;
export const DOUBLE: u32 = 5;
export const BYTES: u32 = 6;
export const TIME: u32 = 7;
export const MICRO_TIME: u32 = 8;
export const DURATION: u32 = 9;
export const QUANTITY: u32 = 10;
export const INT_OR_STRING: u32 = 11;
export const RAW_JSON: u32 = 12;
export const NAMED_LIST: u32 = 13;
export const MESSAGE: u32 = 14;
/** Its fields stand in the place of the message. */
export const INLINED: u32 = 15;
/** Schemas of custom resources, which may be something shorter. 18 is a schema or strings. */
export const SCHEMA_OR_ARRAY: u32 = 16;
export const SCHEMA_OR_BOOL: u32 = 17;

// How often a field may be there. 2 is a map.
export const SINGLE: u32 = 0;
export const LIST: u32 = 1;

@unmanaged
export class Field {
  kind: u8;
  repetition: u8;
  /** Of one value; see wire.ts. */
  wireType: u8;
  /** An empty value is not there in JSON. Not of pointers: what they point to may be empty. 2 for a double, whose zero has eight bytes. */
  leftOutWhenEmpty: u8;
  /** What is not there is null. */
  isNullable: bool;
  /** Of the object in which JSON shows it; 64 bits are all there are. */
  bit: u8;
  nameLength: u16;
  name: usize;
  /** Of MESSAGE, INLINED and the schemas. */
  message: Message;
  /** The name's key in the schema's table; null until it is used. */
  key: Key | null;
  /** Of its messages in that table, where no path of a plan leads; null until it is used. */
  trail: Trail | null;
  /** Strings of the field that had no definition, since the last that had: see strings.ts. */
  misses: u32;
}

@unmanaged
export class Message {
  lastNumber: u32;
  fields: usize;
  /** Bits of the fields that JSON always has. */
  required: u64;
  fieldsByBit: usize;
  unused: u32;
}

@unmanaged
export class Schema {
  root: Message;
  messages: u32;
  fields: u32;
  firstField: usize;
  /** Of the table whose keys the fields hold. */
  serial: u32;
  /** Of strings.ts. */
  guesses: usize;
}

/** Memory for a schema of so many bytes, to be filled by JavaScript, and behind it for guesses. */
export function reserveSchema(bytes: u32): usize {
  return reserve(bytes + GUESS_BYTES);
}

/** The keys of another table are of no use. */
export function useSchema(schema: Schema): void {
  setGuesses(schema.guesses);
  if (schema.serial == table.serial) return;
  for (let i: u32 = 0; i < schema.fields; i++) {
    const field = changetype<Field>(schema.firstField + i * offsetof<Field>());
    field.key = null;
    field.trail = null;
    field.misses = 0;
  }
  clearGuesses(schema.guesses);
  schema.serial = table.serial;
}

@inline
export function fieldOf(message: Message, number: u32): Field {
  return changetype<Field>(message.fields + number * offsetof<Field>());
}

@inline
export function fieldOfBit(message: Message, bit: u32): Field {
  return changetype<Field>(<usize>load<u32>(message.fieldsByBit + (bit << 2)));
}

/** Null if the table has no room for it. */
@inline
export function keyOf(field: Field): Key | null {
  const known = field.key;
  return known !== null ? known : internedKeyOf(field);
}

function internedKeyOf(field: Field): Key | null {
  const key = internKey(field.name, field.nameLength);
  field.key = key;
  return key;
}
