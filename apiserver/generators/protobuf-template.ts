/**
 * The protobuf of one object with variables: bytes that are copied completely and then overwritten in places. Lengths
 * precede what they measure, so a template is for counters of one width. Variables have a fixed width, and all times
 * of this century take the same number of bytes.
 */

import { isRecord, LongInteger, parseJson } from '../json.js';
import { BackwardWriter } from '../protobuf/backward-writer.js';
import { writeMessage } from '../protobuf/encode-message.js';
import {
  type CounterName,
  counterNumberOf,
  counterOf,
  isCounter,
  splitAtPlaceholders,
  type VariableName,
  variableOf,
} from './placeholder.js';
import { counterValue, decimalWidth, writeDecimal } from './template.js';
import type { VariableValues } from './variable-values.js';

/** Seconds since 1970, for times from 1978 to 3058. */
const TIME_VARINT_BYTES = 5;

/** Greater than the width of any counter. */
const WIDTHS = 32;

interface Counters {
  readonly revision: number;
  readonly mutation: number;
}

interface CounterPatch {
  readonly counter: CounterName;
  readonly at: number;
  readonly width: number;
}

/** A different number for each combination of counter widths, in decimal digits and as varints. */
export function counterWidths(revision: number, mutation: number): number {
  const turn = counterValue('turn', revision, mutation);
  let widths = decimalWidth(revision);
  widths = widths * WIDTHS + decimalWidth(mutation);
  widths = widths * WIDTHS + decimalWidth(turn);
  widths = widths * WIDTHS + varintWidth(mutation);
  return widths * WIDTHS + varintWidth(turn);
}

export class ProtobufTemplate {
  readonly #bytes: Buffer;
  /** Triples: offset, start and end of the value in `VariableValues.bytes`. */
  readonly #variables: Int32Array;
  /** Pairs: offset, index in `VariableValues.seconds`. */
  readonly #times: Int32Array;
  readonly #strings: readonly CounterPatch[];
  readonly #numbers: readonly CounterPatch[];

  /** `quoted` is what `compose` returned. The template is for counters of the same widths as `counters`. */
  constructor(message: string, quoted: string, values: VariableValues, counters: Counters) {
    const writer = new TemplateWriter(values, counters);
    writeMessage(writer, message, withCounters(parseJson(quoted)) as Record<string, unknown>);
    const total = writer.length;
    this.#variables = Int32Array.from(
      writer.variables.flatMap(({ end, start, stop }) => [total - end, start, stop]),
    );
    this.#times = Int32Array.from(writer.times.flatMap(({ end, index }) => [total - end, index]));
    const placed = ({ at, ...patch }: CounterPatch): CounterPatch => ({ ...patch, at: total - at });
    this.#strings = writer.strings.map(placed);
    this.#numbers = writer.numbers.map(placed);
    this.#bytes = writer.take();
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** Renders with the current `values`; returns the offset after the object. */
  render(target: Buffer, offset: number, values: VariableValues, { revision, mutation }: Counters): number {
    target.set(this.#bytes, offset);
    const source = values.bytes;
    for (let p = 0; p < this.#variables.length; p += 3) {
      let at = offset + (this.#variables[p] as number);
      const to = this.#variables[p + 2] as number;
      for (let from = this.#variables[p + 1] as number; from < to; from++)
        target[at++] = source[from] as number;
    }
    for (let p = 0; p < this.#times.length; p += 2) {
      const seconds = values.seconds[this.#times[p + 1] as number] as number;
      writeVarint(target, offset + (this.#times[p] as number), seconds, TIME_VARINT_BYTES);
    }
    for (const { at, counter } of this.#strings) {
      writeDecimal(target, offset + at, counterValue(counter, revision, mutation));
    }
    for (const { at, counter, width } of this.#numbers) {
      writeVarint(target, offset + at, counterValue(counter, revision, mutation), width);
    }
    return offset + this.#bytes.length;
  }
}

/** A counter where a field holds a number. */
class CounterNumber extends LongInteger {
  readonly counter: CounterName;

  constructor(counter: CounterName) {
    super(counter);
    this.counter = counter;
  }
}

function withCounters(value: unknown): unknown {
  if (typeof value === 'string') {
    const counter = counterNumberOf(value);
    return counter === undefined ? value : new CounterNumber(counter);
  }
  if (Array.isArray(value)) return value.map(withCounters);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withCounters(member)]));
}

/** Records the offsets of placeholders, counted from the end. */
class TemplateWriter extends BackwardWriter {
  readonly variables: { readonly end: number; readonly start: number; readonly stop: number }[] = [];
  readonly times: { readonly end: number; readonly index: number }[] = [];
  readonly strings: CounterPatch[] = [];
  readonly numbers: CounterPatch[] = [];
  readonly #values: VariableValues;
  readonly #counters: Counters;
  #time: VariableName | undefined;

  constructor(values: VariableValues, counters: Counters) {
    super();
    this.#values = values;
    this.#counters = counters;
  }

  override string(value: string): void {
    for (const [index, part] of [...splitAtPlaceholders(value).entries()].reverse()) {
      if (index % 2 === 0) super.string(part);
      else if (isCounter(part)) this.#counterString(counterOf(part));
      else this.#variable(variableOf(part));
    }
  }

  override integer(value: number | LongInteger): void {
    if (!(value instanceof CounterNumber)) {
      super.integer(value);
      return;
    }
    super.integer(this.#valueOf(value.counter));
    const width = varintWidth(this.#valueOf(value.counter));
    this.numbers.push({ counter: value.counter, at: this.length, width });
  }

  /** `created`, or `createdSecond` followed by six digits. */
  override time(value: string): void {
    const [before = '', placeholder, after = ''] = splitAtPlaceholders(value);
    if (placeholder === undefined) {
      super.time(value);
      return;
    }
    if (before !== '' || !/^(\.0+Z)?$/.test(after)) throw new Error(`a time cannot end with ${after}`);
    this.#time = variableOf(placeholder);
    // Any time works here: it is overwritten.
    this.timestamp(2 ** 31, 0);
  }

  override tag(field: number, wireType: number): void {
    // The seconds, field 1, have just been written.
    if (this.#time !== undefined && field === 1) {
      this.times.push({ end: this.length, index: this.#values.timeIndex(this.#time) });
      this.#time = undefined;
    }
    super.tag(field, wireType);
  }

  #variable(name: VariableName): void {
    const { start, end } = this.#values.slot(name);
    super.string('?'.repeat(end - start));
    this.variables.push({ end: this.length, start, stop: end });
  }

  #counterString(counter: CounterName): void {
    const digits = String(this.#valueOf(counter));
    super.string(digits);
    this.strings.push({ counter, at: this.length, width: digits.length });
  }

  #valueOf(counter: CounterName): number {
    return counterValue(counter, this.#counters.revision, this.#counters.mutation);
  }
}

function varintWidth(value: number): number {
  let bytes = 1;
  for (let power = 2 ** 7; value >= power; power *= 2 ** 7) bytes++;
  return bytes;
}

function writeVarint(target: Buffer, offset: number, value: number, width: number): void {
  const last = offset + width - 1;
  let rest = value;
  for (let at = offset; at < last; at++) {
    target[at] = (rest & 0x7f) | 0x80;
    rest = rest < 2 ** 31 ? rest >> 7 : Math.floor(rest / 2 ** 7);
  }
  target[last] = rest;
}
