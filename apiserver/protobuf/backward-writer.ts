/** Writes protobuf's wire format from the end: a message's length, which precedes it, is known when it is written. */

import { WIRE_TYPES } from '../../src/kube/protobuf-schema/wire-reader.js';
import { LongInteger } from '../json.js';

const FIRST_BYTES = 16 * 1024;
const TWO_TO_7 = 2 ** 7;
const FRACTION = /\.(\d{1,6})Z$/;
const NANOSECONDS_DIGITS = 9;

/** Everything is written in reverse: the last field first, and each value before its tag. */
export class BackwardWriter {
  #bytes: Buffer;
  #at: number;

  /** The buffer grows on demand; short messages can start with a smaller one. */
  constructor(firstBytes: number = FIRST_BYTES) {
    this.#bytes = Buffer.allocUnsafe(firstBytes);
    this.#at = firstBytes;
  }

  /** Bytes written so far; a message's length is the difference of two values. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** Returns a copy and empties the writer. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(this.#at));
    this.#at = this.#bytes.length;
    return taken;
  }

  tag(field: number, wireType: number): void {
    this.#unsigned(field * 8 + wireType);
  }

  /** Writes tag and length of a field whose content was written since `length` was `end`. */
  endLengthDelimited(field: number, end: number): void {
    this.head(field, this.length - end);
  }

  /** Writes tag and length of a field of that many bytes. */
  head(field: number, bytes: number): void {
    this.#unsigned(bytes);
    this.tag(field, WIRE_TYPES.bytes);
  }

  /** Negative numbers take ten bytes. */
  integer(value: number | LongInteger): void {
    if (typeof value === 'number' && value >= 0) this.#unsigned(value);
    else {
      const digits = value instanceof LongInteger ? value.digits : value;
      let rest = BigInt.asUintN(64, BigInt(digits));
      const groups: number[] = [];
      do {
        groups.push(Number(rest & 0x7fn));
        rest >>= 7n;
      } while (rest > 0n);
      this.#groups(groups);
    }
  }

  double(value: number): void {
    this.#reserve(8);
    this.#bytes.writeDoubleLE(value, this.#at);
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#at);
  }

  string(value: string): void {
    this.#reserve(Buffer.byteLength(value));
    this.#bytes.write(value, this.#at);
  }

  /** RFC 3339, as { 1 seconds, 2 nanos }. */
  time(value: string): void {
    const fraction = FRACTION.exec(value)?.[1] ?? '';
    this.timestamp(Math.floor(Date.parse(value) / 1000), Number(fraction.padEnd(NANOSECONDS_DIGITS, '0')));
  }

  protected timestamp(seconds: number, nanos: number): void {
    this.integer(nanos);
    this.tag(2, WIRE_TYPES.varint);
    this.integer(seconds);
    this.tag(1, WIRE_TYPES.varint);
  }

  #unsigned(value: number): void {
    if (value < TWO_TO_7) {
      this.#reserve(1);
      this.#bytes[this.#at] = value;
      return;
    }
    const groups: number[] = [];
    for (let rest = value; ; rest = Math.floor(rest / TWO_TO_7)) {
      groups.push(rest % TWO_TO_7);
      if (rest < TWO_TO_7) break;
    }
    this.#groups(groups);
  }

  /** Groups of seven bits, lowest first. */
  #groups(groups: readonly number[]): void {
    this.#reserve(groups.length);
    for (const [index, group] of groups.entries()) {
      this.#bytes[this.#at + index] = index === groups.length - 1 ? group : group | 0x80;
    }
  }

  /** Reserves that many bytes. */
  #reserve(count: number): void {
    if (count > this.#at) this.#grow(count);
    this.#at -= count;
  }

  #grow(count: number): void {
    const { length } = this;
    const bytes = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, length + count));
    this.#bytes.copy(bytes, bytes.length - length, this.#at);
    this.#at = bytes.length - length;
    this.#bytes = bytes;
  }
}
