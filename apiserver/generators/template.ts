/**
 * The JSON bytes of one object with variables, split so that most of it is copied in a few calls:
 *
 *   piece 0                      revision  piece 1                        mutation  piece 2
 *   {"metadata":{"name":"░░░…"   "1234"    …"uid":"░░░","restartCount":   7         ,"ready":true}…}
 *
 * Pieces have a fixed length and fixed-width variables (░) at fixed offsets: a piece is copied completely and its
 * variables are then overwritten. Between two pieces is a counter, which is as wide as its value.
 */

import {
  type CounterName,
  counterOf,
  splitAtCounters,
  splitAtVariables,
  type VariableName,
  variableOf,
} from './placeholder.js';
import type { VariableValues } from './variable-values.js';

/** Decimal digits of the largest safe integer. */
const WIDEST_COUNTER = 16;
/** A private use character in UTF-8. */
const PLACEHOLDER_BYTES = 3;

export class Template {
  /** Length without counters. */
  readonly fixedBytes: number;
  readonly maxBytes: number;
  /** The variables that occur in it. */
  readonly variables: ReadonlySet<VariableName>;
  readonly #pieces: readonly Buffer[];
  /** Per piece, triples: offset in the piece, start and end of the value in `VariableValues.bytes`. */
  readonly #patches: readonly Int32Array[];
  /** Counter after piece k; one fewer than pieces. */
  readonly #counters: readonly CounterName[];

  /** `text` is JSON with placeholders and without padding. */
  constructor(json: string, values: VariableValues) {
    const cuts = splitAtCounters(json);
    const variables = new Set<VariableName>();
    const pieces: Buffer[] = [];
    const patches: Int32Array[] = [];
    for (let k = 0; k < cuts.length; k += 2) {
      const piece = compilePiece(cuts[k] as string, values, variables);
      pieces.push(piece.bytes);
      patches.push(piece.patches);
    }
    this.variables = variables;
    this.#pieces = pieces;
    this.#patches = patches;
    this.#counters = cuts.filter((_, k) => k % 2 === 1).map(counterOf);
    this.fixedBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    this.maxBytes = this.fixedBytes + this.#counters.length * WIDEST_COUNTER;
  }

  bytesFor(revision: number, mutation: number): number {
    let bytes = this.fixedBytes;
    for (const counter of this.#counters) bytes += decimalWidth(counterValue(counter, revision, mutation));
    return bytes;
  }

  /** Renders with the current `values`; returns the offset after the object. */
  render(target: Buffer, offset: number, values: VariableValues, revision: number, mutation: number): number {
    const source = values.bytes;
    const last = this.#pieces.length - 1;
    let end = offset;
    for (let k = 0; k <= last; k++) {
      const piece = this.#pieces[k] as Buffer;
      target.set(piece, end);
      const patches = this.#patches[k] as Int32Array;
      for (let p = 0; p < patches.length; p += 3) {
        let at = end + (patches[p] as number);
        const to = patches[p + 2] as number;
        for (let from = patches[p + 1] as number; from < to; from++) target[at++] = source[from] as number;
      }
      end += piece.length;
      if (k < last) {
        end = writeDecimal(target, end, counterValue(this.#counters[k] as CounterName, revision, mutation));
      }
    }
    return end;
  }
}

/** Bytes of JSON with its placeholders rendered, assuming that counters have `counterWidth` digits. */
export function renderedBytes(json: string, values: VariableValues, counterWidth: number): number {
  let bytes = Buffer.byteLength(json);
  for (const [placeholder] of json.matchAll(/[\ue000-\ue0ff]/g)) {
    const slot = values.slot(variableOf(placeholder));
    bytes += slot.end - slot.start - PLACEHOLDER_BYTES;
  }
  for (const _ of json.matchAll(/[\uf000-\uf00f]/g)) bytes += counterWidth - PLACEHOLDER_BYTES;
  return bytes;
}

function compilePiece(
  json: string,
  values: VariableValues,
  variables: Set<VariableName>,
): { bytes: Buffer; patches: Int32Array } {
  const patches: number[] = [];
  const parts: Buffer[] = [];
  let at = 0;
  for (const [k, part] of splitAtVariables(json).entries()) {
    if (k % 2 === 0) {
      const literal = Buffer.from(part);
      parts.push(literal);
      at += literal.length;
      continue;
    }
    const name = variableOf(part);
    const slot = values.slot(name);
    variables.add(name);
    patches.push(at, slot.start, slot.end);
    const gap = slot.end - slot.start;
    parts.push(Buffer.alloc(gap, '?'));
    at += gap;
  }
  return { bytes: Buffer.concat(parts), patches: Int32Array.from(patches) };
}

export function counterValue(counter: CounterName, revision: number, mutation: number): number {
  if (counter === 'revision') return revision;
  return counter === 'mutation' ? mutation : mutation + 1;
}

export function decimalWidth(value: number): number {
  let digits = 1;
  for (let power = 10; value >= power; power *= 10) digits++;
  return digits;
}

export function writeDecimal(target: Buffer, offset: number, value: number): number {
  const end = offset + decimalWidth(value);
  let rest = value;
  for (let at = end - 1; at >= offset; at--) {
    const next = Math.floor(rest / 10);
    target[at] = 48 + (rest - next * 10);
    rest = next;
  }
  return end;
}
