import type { CellRow } from '../../src/wire/cells.js';
import type { DecodingOptions } from '../../src/wire/stream-task.js';
import type { ListHead } from '../split/item-splitter.js';
import type { Decoded, Decoder, PieceDecoder, RunDecoder, TakenEvents, TakenItems } from './decoder.js';
import { planItems } from './decoding-plan.js';
import { EventRuns } from './event-runs.js';
import type { ShardFilter } from './shard-filter.js';
import type { TableLease } from './shared-definition-table.js';
import { ABANDONED, type PlanAddress, type Transcoder, type TranscoderTable } from './transcoder.js';

export interface SimdDecoderOptions {
  readonly transcoder: Transcoder;
  readonly source: TableLease<TranscoderTable>;
  /** Owned by the decoder from now on. */
  readonly plan: PlanAddress;
  readonly decoding: DecodingOptions;
  readonly filter?: ShardFilter | undefined;
  /** For documents that the module abandons: invalid or very rare ones. Its payloads need no table. */
  readonly reference: Decoder;
}

const EMPTY: Uint8Array = new Uint8Array(0);

/** The module's JSON decoder, with the reference decoder as fallback. */
export class SimdDecoder implements PieceDecoder, RunDecoder {
  readonly #options: SimdDecoderOptions;
  readonly #transcoder: Transcoder;
  readonly #events: EventRuns;
  #kept: Uint8Array = EMPTY;
  #pieceBytes = 0;
  /** An item of the piece that was abandoned. */
  #abandoned: { readonly position: number; readonly verdict: 'incomplete' | 'special' } | undefined;
  #delegated = 0;

  constructor(options: SimdDecoderOptions) {
    this.#options = options;
    this.#transcoder = options.transcoder;
    this.#events = new EventRuns(options);
  }

  /** How many documents the reference decoder had to read. */
  get delegated(): number {
    return this.#delegated;
  }

  /** Frees the plan. */
  close(): void {
    this.#transcoder.exports.freePlan(this.#options.plan);
  }

  beginList(head: ListHead): void {
    const { decoding, plan, reference } = this.#options;
    planItems(this.#transcoder, plan, decoding, head);
    reference.beginList(head);
  }

  load(chunks: readonly Uint8Array[]): Uint8Array {
    const piece = this.#transcoder.load(this.#options.source.table.address, [this.#kept, ...chunks]);
    this.#kept = EMPTY;
    this.#abandoned = undefined;
    this.#pieceBytes = piece.length;
    return piece;
  }

  keep(position: number): void {
    const { memory, windowAddress } = this.#transcoder;
    // Copied: other streams use the window too.
    if (position < this.#pieceBytes) {
      this.#kept = new Uint8Array(
        memory.subarray(windowAddress + position, windowAddress + this.#pieceBytes),
      );
    }
  }

  get keptBytes(): number {
    return this.#kept.length;
  }

  takeItems(position: number, minBytes: number, maxBytes: number): TakenItems | 'incomplete' | 'special' {
    if (this.#abandoned?.position === position) return this.#abandoned.verdict;
    const { windowAddress, cells, cellAddress } = this.#transcoder;
    const { source, plan } = this.#options;
    const run = this.#transcoder.items(source.table.address, plan, {
      from: windowAddress + position,
      end: windowAddress + this.#pieceBytes,
      minBytes,
      maxBytes,
    });
    // An incomplete item looks like invalid JSON.
    const verdict = run.abandoned === -ABANDONED.invalid ? 'incomplete' : 'special';
    const { foreign } = this.#transcoder;
    this.#options.filter?.note(run.count, foreign);
    if (run.count === 0 && foreign.count === 0) return verdict;
    const end = run.itemEnd - windowAddress;
    // The next item begins after a comma. It need not be tried again.
    if (run.abandoned !== 0) this.#abandoned = { position: end + 1, verdict };
    const { byteLength, count } = run;
    return { run: { cells, offset: cellAddress, byteLength, count }, items: count + foreign.count, end };
  }

  decodeItem(bytes: Uint8Array, depth?: number): Decoded {
    const address = this.#addressOf(bytes);
    if (address !== undefined) {
      const { source, plan } = this.#options;
      const length = this.#transcoder.item(source.table.address, plan, address, address + bytes.length);
      if (length >= 0) return this.#row();
    }
    this.#delegated++;
    return this.#options.reference.decodeItem(bytes, depth);
  }

  get maxPieceBytes(): number {
    return this.#transcoder.windowBytes;
  }

  loadEvents(parts: readonly Uint8Array[]): Buffer {
    return this.#events.load(parts);
  }

  takeEvents(position: number, maxBytes: number): TakenEvents {
    return this.#events.take(undefined, position, maxBytes);
  }

  decodeEvent(bytes: Uint8Array): Decoded {
    const { source, plan } = this.#options;
    // An event of a piece was abandoned.
    if (bytes.buffer !== this.#transcoder.memory.buffer && bytes.length <= this.#transcoder.documentBytes) {
      this.#transcoder.exports.prepare(source.table.address);
      const address = this.#copy(bytes);
      const length = this.#transcoder.event(source.table.address, plan, address, address + bytes.length);
      if (length >= 0) return this.#row();
    }
    this.#delegated++;
    return this.#options.reference.decodeEvent(bytes);
  }

  /**
   * The address of the document in the module's memory, to which it is copied if necessary; undefined if it is too
   * large.
   */
  #addressOf(bytes: Uint8Array): number | undefined {
    const { memory, documentBytes } = this.#transcoder;
    if (bytes.buffer === memory.buffer) return bytes.byteOffset;
    return bytes.length > documentBytes ? undefined : this.#copy(bytes);
  }

  #copy(bytes: Uint8Array): number {
    const { memory, documentAddress } = this.#transcoder;
    memory.set(bytes, documentAddress);
    return documentAddress;
  }

  #row(): CellRow {
    return { cells: this.#transcoder.cells, offset: this.#transcoder.cellAddress };
  }
}
