import { isUtf8 } from 'node:buffer';
import { ProtobufError } from './protobuf-error.js';

export const WIRE = { varint: 0, fixed64: 1, length: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/** What Go's JSON has for each byte that is not part of valid UTF-8. */
const REPLACEMENT = '\ufffd';

/** Groups within groups; Go has a limit too. */
const MAX_GROUPS = 100;

/** Reads one message, from `position` to `end`. Every method throws a `ProtobufError` rather than pass the end. */
export class WireReader {
  readonly bytes: Buffer;
  readonly end: number;
  position: number;

  constructor(bytes: Uint8Array, start: number = 0, end: number = bytes.length) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.position = start;
    this.end = end;
  }

  get isAtEnd(): boolean {
    return this.position >= this.end;
  }

  /** The number of a field and its wire type. */
  tag(): { readonly number: number; readonly wireType: number } {
    const tag = this.varint();
    if (tag < 8n || tag > 0xffffffffn)
      throw new ProtobufError('the message has a field with an illegal number');
    return { number: Number(tag >> 3n), wireType: Number(tag & 7n) };
  }

  /** 64 bits, without a sign. What is beyond is lost, as Go loses it. */
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.position >= this.end) throw new ProtobufError('the message ends in the middle of a number');
      const byte = this.bytes[this.position++] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new ProtobufError('the message has a number of more than ten bytes');
  }

  double(): number {
    this.#skip(8);
    return this.bytes.readDoubleLE(this.position - 8);
  }

  /** The next field's content, of which a reader of its own is given. */
  nested(): WireReader {
    const length = this.varint();
    if (length > BigInt(this.end - this.position)) {
      throw new ProtobufError('the message has a field that is longer than the message');
    }
    const start = this.position;
    this.position += Number(length);
    return new WireReader(this.bytes, start, this.position);
  }

  /** All that is left. */
  rest(): Buffer {
    return this.bytes.subarray(this.position, this.end);
  }

  /** All that is left, as Go's JSON would show it. */
  string(): string {
    const bytes = this.rest();
    return isUtf8(bytes) ? bytes.toString('utf8') : goText(bytes);
  }

  skip(wireType: number, groups = 0): void {
    switch (wireType) {
      case WIRE.varint:
        this.varint();
        return;
      case WIRE.fixed64:
        this.#skip(8);
        return;
      case WIRE.length:
        this.nested();
        return;
      case WIRE.fixed32:
        this.#skip(4);
        return;
      case WIRE.startGroup:
        this.#skipGroup(groups + 1);
        return;
      default:
        throw new ProtobufError('the message has a field of an illegal type');
    }
  }

  #skipGroup(groups: number): void {
    if (groups > MAX_GROUPS) throw new ProtobufError('the message has too many groups within groups');
    for (;;) {
      const { wireType } = this.tag();
      if (wireType === WIRE.endGroup) return;
      this.skip(wireType, groups);
    }
  }

  #skip(bytes: number): void {
    if (this.end - this.position < bytes)
      throw new ProtobufError('the message ends in the middle of a field');
    this.position += bytes;
  }
}

function goText(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((size) => at + size <= bytes.length && isCharacter(bytes, at, size));
    text += length === undefined ? REPLACEMENT : bytes.toString('utf8', at, at + length);
    at += length ?? 1;
  }
  return text;
}

function isCharacter(bytes: Buffer, at: number, size: number): boolean {
  return isUtf8(bytes.subarray(at, at + size));
}
