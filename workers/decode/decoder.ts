import type { CellRow, CellRun, ControlRow } from '../../src/wire/batch.js';
import type { ListHead } from '../split/item-splitter.js';

/**
 * From the bytes of one JSON document to a cell: header and msgpack payload. One instance per stream; not re-entrant.
 *
 * A document is a watch event (`{"type":…,"object":…}`) or one item of a list. What cannot be used comes back as a
 * `rejected` row: a decoder does not throw for what a server may send.
 */
export interface Decoder {
  /** `bytes` is only borrowed: it is overwritten after the call. */
  decodeEvent(bytes: Uint8Array): Decoded;
  /** Called before the items with what the list had said so far. Items of typed lists get their type from it. */
  beginList(head: ListHead): void;
  /** `depth` is how deep the item is nested, if that is known already. */
  decodeItem(bytes: Uint8Array, depth?: number): Decoded;
}

/** The cell is only borrowed too: it is valid until the next call. */
export type Decoded = CellRow | ControlRow;

/** A decoder that finds the end of an item by decoding it, so that nobody else has to look for it. */
export interface PieceDecoder extends Decoder {
  /** A piece of a list's body: what was kept of the last one, and these. As the splitter is to see it, valid until the next call. */
  load(chunks: readonly Uint8Array[]): Uint8Array;
  /** From this place on, the piece is to be the beginning of the next. */
  keep(position: number): void;
  /** What is kept. */
  readonly keptBytes: number;
  /**
   * The item that begins at this place of the piece, and those behind it, with nothing but commas between them: as many as are whole, as
   * long as `leastBytes` of the next are there. None of more than `mostBytes`.
   */
  takeItems(position: number, leastBytes: number, mostBytes: number): TakenItems | 'incomplete' | 'special';
}

export interface TakenItems {
  readonly run: CellRun;
  /** The place in the piece after the last item. */
  readonly end: number;
}
