import type { OrderedRun } from '../../src/wire/cells.js';
import type { RunDecoder } from '../decode/decoder.js';
import { DocumentBuffer } from './document-buffer.js';

export interface EventSink {
  /** One event. The bytes are borrowed: valid during the call. */
  onDocument(bytes: Uint8Array): void;
  /** An event over the limit was skipped; `head` is its beginning. */
  onOversized(head: Uint8Array, totalBytes: number): void;
}

/** How events are decoded in place. */
export interface EventRuns {
  readonly decoder: RunDecoder;
  /** The cells are borrowed: valid during the call. */
  onRun(run: OrderedRun): void;
}

/** Decoded at once, of chunks that have arrived together. */
const MAX_PIECE_BYTES = 256 * 1024;

/**
 * Splits the body of a watch into its events: `LineSplitter` for JSON, `ProtobufFrameSplitter` for protobuf.
 *
 * With `EventRuns`, the chunks that have arrived together are a piece, which begins with the incomplete event of
 * the piece before, and all its events are decoded in one run. Only what the decoder leaves is split off here: invalid
 * and rare events, bookmarks, errors, and events that are larger than a piece.
 */
export abstract class EventSplitter {
  protected readonly sink: EventSink;
  protected readonly maxObjectBytes: number;
  /** An event that began in an earlier chunk. */
  protected readonly carry: DocumentBuffer;
  readonly #runs: EventRuns | undefined;
  #chunks: Uint8Array[] = [];
  #chunkBytes = 0;

  constructor(maxObjectBytes: number, sink: EventSink, runs?: EventRuns) {
    this.sink = sink;
    this.maxObjectBytes = maxObjectBytes;
    this.carry = new DocumentBuffer(maxObjectBytes);
    this.#runs = runs;
  }

  get heldBytes(): number {
    return this.carry.heldBytes + this.#chunkBytes;
  }

  /** How many of the last chunks that were written are still referenced. */
  get heldChunks(): number {
    return this.#chunks.length;
  }

  /**
   * With `hasMore` the next chunk has already arrived, and this one may be held until then: it must not change. Throws
   * a `SplitError` if this is not the body of a watch.
   */
  write(chunk: Uint8Array, hasMore = false): void {
    const runs = this.#runs;
    if (runs === undefined) {
      this.split(chunk);
      return;
    }
    if (this.#chunkBytes + chunk.length > MAX_PIECE_BYTES) this.#decodeChunks(runs);
    this.#chunks.push(chunk);
    this.#chunkBytes += chunk.length;
    if (!hasMore) this.#decodeChunks(runs);
  }

  /** At the end of the body: whether it ended in the middle of an event. The rest is never decoded. */
  abstract end(): 'complete' | 'truncated';

  /** Splits off one event after the other. */
  protected abstract split(chunk: Uint8Array): void;

  /** Splits off the event at this position, and returns its end; undefined if it is not complete. */
  protected abstract splitOne(piece: Buffer, position: number): number | undefined;

  /** Whether an event ends in one of these chunks. */
  protected abstract hasEnd(chunks: readonly Uint8Array[]): boolean;

  /** The bytes of the event that began in an earlier chunk, as they were received; then it is forgotten. */
  protected abstract takeIncomplete(): readonly Uint8Array[];

  #decodeChunks({ decoder, onRun }: EventRuns): void {
    const chunks = this.#chunks;
    const bytes = this.carry.totalBytes + this.#chunkBytes;
    this.#chunks = [];
    this.#chunkBytes = 0;
    // A large event that arrives in many chunks is not looked at again with each of them.
    if (bytes > decoder.maxPieceBytes - MAX_HEAD_BYTES || !this.hasEnd(chunks)) {
      for (const chunk of chunks) this.split(chunk);
      return;
    }
    const piece = decoder.loadEvents([...this.takeIncomplete(), ...chunks]);
    let position = 0;
    while (position < piece.length) {
      const { run, end, next } = decoder.takeEvents(position, this.maxObjectBytes);
      if (run.count > 0) onRun(run);
      position = end;
      if (next === 'incomplete') break;
      if (next === 'more') continue;
      const after = this.splitOne(piece, position);
      if (after === undefined) break;
      position = after;
    }
    if (position < piece.length) this.split(piece.subarray(position));
  }
}

/** What comes before the bytes of an incomplete event: the length of a frame. */
const MAX_HEAD_BYTES = 4;
