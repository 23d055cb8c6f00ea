import type { CellRow, CellRun, ControlRow } from '../../src/wire/batch.js';
import type { OrderedRun } from '../../src/wire/cells.js';
import type { ListHead } from '../split/item-splitter.js';

/**
 * Turns the bytes of one document into a cell: header and msgpack payload. One instance per stream; not re-entrant.
 *
 * A document is a watch event (`{"type":…,"object":…}`) or one item of a list. What cannot be used becomes a `rejected`
 * row: a decoder does not throw, whatever a server sends. The exception is a `StreamFailure` for an unknown field, if
 * the stream is to fail for it.
 */
export interface Decoder {
  /** `bytes` is borrowed: it is overwritten after the call. */
  decodeEvent(bytes: Uint8Array): Decoded;
  /** Called before the items, with what was read of the list so far. Items of typed lists get their type from it. */
  beginList(head: ListHead): void;
  /** `depth` is how deep the item is nested, if that is known. */
  decodeItem(bytes: Uint8Array, depth?: number): Decoded;
}

/** The cell is borrowed too: it is valid until the next call. */
export type Decoded = CellRow | ControlRow;

/** A decoder that finds the end of an item by decoding it, so that the splitter does not have to look for it. */
export interface PieceDecoder extends Decoder {
  /**
   * Joins what was kept of the last piece of the list's body with these chunks. The result is valid until the next
   * call.
   */
  load(chunks: readonly Uint8Array[]): Uint8Array;
  /** Keeps the rest of the piece, from this position on, for the beginning of the next. */
  keep(position: number): void;
  /** The length of what is kept. */
  readonly keptBytes: number;
  /**
   * Decodes the item at this position of the piece, and those after it, with nothing but commas between them: as many
   * as are complete, while `minBytes` of the next have arrived. None of them is longer than `maxBytes`.
   */
  takeItems(position: number, minBytes: number, maxBytes: number): TakenItems | 'incomplete' | 'special';
}

export function isPieceDecoder(decoder: Decoder): decoder is PieceDecoder {
  return 'takeItems' in decoder;
}

export interface TakenItems {
  /** May have no cells. */
  readonly run: CellRun;
  /** How many were taken, including those of other shards. */
  readonly items: number;
  /** The position in the piece after the last item. */
  readonly end: number;
}

/** A decoder that decodes the events of a watch in runs, and splits them while it does. */
export interface RunDecoder extends Decoder {
  /** The maximum length of a piece. */
  readonly maxPieceBytes: number;
  /** Joins the parts of a piece of the body. The result is valid until the next call. */
  loadEvents(parts: readonly Uint8Array[]): Buffer;
  /**
   * Decodes the event at this position of the piece, and those after it, as many as are complete. None of them is
   * longer than `maxBytes`. What stopped it is decoded by `decodeEvent`, once it is complete.
   */
  takeEvents(position: number, maxBytes: number): TakenEvents;
}

export function isRunDecoder(decoder: Decoder): decoder is RunDecoder {
  return 'takeEvents' in decoder;
}

export interface TakenEvents {
  /** May have no cells. Borrowed: valid until the next call. */
  readonly run: OrderedRun;
  /** The position in the piece after the last event. */
  readonly end: number;
  /** What is there: events that can be taken, an incomplete event or none, or one that has to be split off. */
  readonly next: 'more' | 'incomplete' | 'special';
}
