import type { CellRun } from '../../src/wire/cells.js';
import type { PieceDecoder } from '../decode/decoder.js';
import type { ItemSink, ListHead } from './item-splitter.js';
import { ITEM_NOT_TAKEN, ListSplitter } from './list-splitter.js';

export interface PieceSink extends ItemSink {
  /** Items that were decoded in place. Borrowed: valid during the call. */
  onRun(run: CellRun): void;
}

/** Decoded at once, of chunks that have arrived together. */
const MAX_PIECE_BYTES = 256 * 1024;

/** Of an incomplete item. Larger ones are split off before they are decoded. */
const MAX_KEPT_BYTES = 128 * 1024;

/**
 * An incomplete item is tried if it is not much smaller than the items before it: an attempt that fails costs as much
 * as decoding.
 */
const LIKELY_SHARE = 0.9;

/**
 * Splits a list in JSON with the help of its decoder, which finds the end of an item by decoding it. An item that does
 * not end in its piece is tried again when twice as much of it has arrived, so that small chunks cost no more than
 * large ones.
 */
export class PieceSplitter extends ListSplitter {
  readonly #decoder: PieceDecoder;
  readonly #sink: PieceSink;
  /** Of the last items: a moving average. */
  #averageBytes = 0;
  #chunks: Uint8Array[] = [];
  #chunkBytes = 0;
  #isBodyRead = false;

  constructor(maxObjectBytes: number, decoder: PieceDecoder, sink: PieceSink) {
    super(maxObjectBytes, sink);
    this.#decoder = decoder;
    this.#sink = sink;
  }

  override get heldBytes(): number {
    return super.heldBytes + this.#decoder.keptBytes + this.#chunkBytes;
  }

  override get heldChunks(): number {
    return this.#chunks.length;
  }

  /**
   * Up to 256 KiB, which are held until they are decoded, and must not change. With `hasMore` the next chunk has
   * already arrived.
   */
  override write(chunk: Uint8Array, hasMore = false): void {
    if (this.#chunkBytes + chunk.length > MAX_PIECE_BYTES) this.#readPiece();
    this.#chunks.push(chunk);
    this.#chunkBytes += chunk.length;
    const isEnough = this.#chunkBytes >= this.#decoder.keptBytes;
    if (isEnough && !hasMore) this.#readPiece();
  }

  override end(): ListHead {
    this.#readPiece();
    this.#isBodyRead = true;
    if (this.#decoder.keptBytes > 0) this.#readPiece();
    return super.end();
  }

  protected override takeItems(piece: Uint8Array, position: number): number {
    const availableBytes = piece.length - position;
    const canWait = !this.#isBodyRead && availableBytes <= MAX_KEPT_BYTES;
    const likelyBytes = this.#averageBytes * LIKELY_SHARE;
    if (canWait && availableBytes < likelyBytes) return ITEM_NOT_TAKEN.later;
    const items = this.#decoder.takeItems(position, this.#isBodyRead ? 0 : likelyBytes, this.maxObjectBytes);
    if (items === 'incomplete' && canWait) return ITEM_NOT_TAKEN.later;
    if (typeof items === 'string') return ITEM_NOT_TAKEN.split;
    const { run, items: count, end } = items;
    this.#averageBytes = (this.#averageBytes + (end - position) / count) / 2;
    if (run.count > 0) this.#sink.onRun(run);
    return end;
  }

  #readPiece(): void {
    const piece = this.#decoder.load(this.#chunks);
    this.#chunks = [];
    this.#chunkBytes = 0;
    this.#decoder.keep(this.split(piece));
  }
}
