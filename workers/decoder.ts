import type { ControlRow, RowHeader } from '../src/wire/batch.js';
import type { ListHead } from './split/list-splitter.js';

/**
 * From the bytes of one JSON document to a header and a msgpack payload. One instance per stream; not re-entrant.
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

/** The payload is only borrowed too: it is valid until the next call. */
export type Decoded = { readonly header: RowHeader; readonly payload: Uint8Array } | ControlRow;
