/**
 * How the messages of one kind are represented in JSON. Written by workers/decode/protobuf/schema-image.ts, with the
 * same layout.
 *
 *     Schema     message of the object │ messages │ number of fields │ fields
 *     Message    highest field number │ fields by number │ required fields (64 bits) │ fields by bit
 *     Field      see below; one whose kind is NONE stands for an unused field number
 */

import { internKey, Key } from '../keys';
import { reserve } from '../memory';
import { table } from '../table';
import { clearGuesses, GUESS_BYTES, useGuesses } from './string-guesses';
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
/** Its fields belong to the object that contains the message. */
export const INLINED: u32 = 15;
// JSON schemas of custom resources, or their short forms. 18 is a schema or an array of strings.
export const SCHEMA_OR_ARRAY: u32 = 16;
export const SCHEMA_OR_BOOL: u32 = 17;

// How often a field may occur. 2 is a map.
export const SINGLE: u32 = 0;
export const LIST: u32 = 1;

@unmanaged
export class Field {
  kind: u8;
  repetition: u8;
  /** The wire type of one value; see wire.ts. */
  wireType: u8;
  /** JSON omits an empty value, unless it is that of a pointer. 2 for a double, whose zero has eight bytes. */
  omittedWhenEmpty: u8;
  unused: u8;
  /** Its bit in the object in which JSON shows it; there are 64. */
  bit: u8;
  nameLength: u16;
  name: usize;
  /** For MESSAGE, INLINED and the schemas. */
  message: Message;
  /** The name's key in the schema's table; null until it is used. */
  key: Key | null;
  /** The trail of its messages in that table, where no path of a plan leads; null until it is used. */
  trail: Trail | null;
  /** Consecutive strings of the field without a definition: see string-guesses.ts. */
  misses: u32;
}

@unmanaged
export class Message {
  lastNumber: u32;
  fields: usize;
  /** Bits of the fields that JSON shows as null when they are not sent. */
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
  /** The serial of the table whose keys the fields hold. */
  serial: u32;
  /** See string-guesses.ts. */
  guesses: usize;
}

/** Reserves memory for a schema of this size, to be filled by JavaScript, followed by its guesses. */
export function reserveSchema(bytes: u32): usize {
  return reserve(bytes + GUESS_BYTES);
}

/** Clears what belongs to another table. */
export function useSchema(schema: Schema): void {
  useGuesses(schema.guesses);
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

/** Null if the table has no memory for it. */
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
