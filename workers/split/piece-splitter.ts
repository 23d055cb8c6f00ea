import type { CellRun } from '../../src/wire/cells.js';
import type { PieceDecoder } from '../decode/decoder.js';
import { type ListHead, type ListSink, ListSplitter, NOT_TAKEN } from './list-splitter.js';

export interface PieceSink extends Omit<ListSink, 'takeItem'> {
  /** Items that were decoded where they stood. Borrowed: valid during the call. */
  onRun(run: CellRun): void;
}

/** What is decoded at once, of chunks that have arrived together. */
const MAX_PIECE_BYTES = 256 * 1024;

/** Of an item that is not all there yet. Larger ones are split off before they are decoded. */
const MAX_KEPT_BYTES = 128 * 1024;

/** What is there of an item is tried if it is not much less than others were: giving one up costs as much as decoding it. */
const LIKELY_SHARE = 0.9;

/**
 * Splits a list with the help of its decoder, which finds the end of an item by decoding it. An item that does not end in its piece is
 * tried again when twice as much of it is there, so that small chunks cost no more than large ones.
 */
export class PieceSplitter {
  readonly #decoder: PieceDecoder;
  readonly #splitter: ListSplitter;
  /** Of the last items. */
  #usualBytes = 0;
  #chunks: Uint8Array[] = [];
  #chunkBytes = 0;
  #isBodyRead = false;

  constructor(objectBytes: number, decoder: PieceDecoder, sink: PieceSink) {
    this.#decoder = decoder;
    this.#splitter = new ListSplitter(objectBytes, {
      ...sink,
      takeItem: (piece, position) => {
        const bytesThere = piece.length - position;
        const isWaitedFor = !this.#isBodyRead && bytesThere <= MAX_KEPT_BYTES;
        if (isWaitedFor && bytesThere < this.#usualBytes * LIKELY_SHARE) return NOT_TAKEN.later;
        const leastBytes = this.#isBodyRead ? 0 : this.#usualBytes * LIKELY_SHARE;
        const items = decoder.takeItems(position, leastBytes, objectBytes);
        if (items === 'incomplete' && isWaitedFor) return NOT_TAKEN.later;
        if (typeof items === 'string') return NOT_TAKEN.split;
        const { run, end } = items;
        this.#usualBytes = (this.#usualBytes + (end - position) / run.count) / 2;
        sink.onRun(run);
        return end;
      },
    });
  }

  get heldBytes(): number {
    return this.#splitter.heldBytes + this.#decoder.keptBytes + this.#chunkBytes;
  }

  /** Up to 256 KiB. It is held until it is read: it must not change. Throws a `SplitError` if this is no list. */
  write(chunk: Uint8Array, isMoreThere: boolean): void {
    if (this.#chunkBytes + chunk.length > MAX_PIECE_BYTES) this.#read();
    this.#chunks.push(chunk);
    this.#chunkBytes += chunk.length;
    const isEnough = this.#chunkBytes >= this.#decoder.keptBytes;
    if (isEnough && !isMoreThere) this.#read();
  }

  /** The body has ended. Throws a `SplitError` if the list has not. */
  end(): ListHead {
    this.#read();
    this.#isBodyRead = true;
    if (this.#decoder.keptBytes > 0) this.#read();
    return this.#splitter.end();
  }

  #read(): void {
    const piece = this.#decoder.load(this.#chunks);
    this.#chunks = [];
    this.#chunkBytes = 0;
    this.#decoder.keep(this.#splitter.write(piece));
  }
}
