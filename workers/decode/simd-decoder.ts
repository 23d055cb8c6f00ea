import type { CellRow } from '../../src/wire/cells.js';
import type { DecodingOptions } from '../../src/wire/stream-task.js';
import type { ListHead } from '../split/item-splitter.js';
import { acceptedTypes, itemTypeOf } from './check-type.js';
import type { Decoded, Decoder, PieceDecoder, TakenItems } from './decoder.js';
import { isPlain } from './decoding-plan.js';
import type { TableLease } from './shared-definition-table.js';
import { ABANDONED, type PlanAddress, type Transcoder, type TranscoderTable } from './transcoder.js';

export interface SimdDecoderOptions {
  readonly transcoder: Transcoder;
  readonly source: TableLease<TranscoderTable>;
  /** Belongs to the decoder from now on. */
  readonly plan: PlanAddress;
  readonly decoding: DecodingOptions;
  /** For what the module gives up: documents that are wrong, or very rare. Its payloads need no table. */
  readonly reference: Decoder;
}

const EMPTY: Uint8Array = new Uint8Array(0);

/** The module in front of the reference decoder. */
export class SimdDecoder implements PieceDecoder {
  readonly #options: SimdDecoderOptions;
  readonly #transcoder: Transcoder;
  #kept: Uint8Array = EMPTY;
  #pieceBytes = 0;
  /** An item of the piece that was given up. */
  #refused: { readonly position: number; readonly verdict: 'incomplete' | 'special' } | undefined;
  #delegated = 0;

  constructor(options: SimdDecoderOptions) {
    this.#options = options;
    this.#transcoder = options.transcoder;
  }

  /** Documents that the reference decoder had to read. */
  get delegated(): number {
    return this.#delegated;
  }

  /** Its plan is free for others. */
  close(): void {
    this.#transcoder.exports.freePlan(this.#options.plan);
  }

  beginList(head: ListHead): void {
    const { decoding, plan, reference } = this.#options;
    const type = itemTypeOf(head) ?? decoding;
    const isAccepted = acceptedTypes(decoding).some(
      ({ kind, apiVersion }) => (kind === '' || kind === type.kind) && apiVersion === type.apiVersion,
    );
    const kindBytes = isAccepted && isPlain(type.kind) ? this.#transcoder.write(type.kind) : 0;
    this.#transcoder.exports.planItems(plan, this.#transcoder.documentAddress, kindBytes);
    reference.beginList(head);
  }

  load(chunks: readonly Uint8Array[]): Uint8Array {
    const { windowAddress, windowBytes, exports } = this.#transcoder;
    const parts = [this.#kept, ...chunks];
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length > windowBytes) throw new Error(`expected up to ${windowBytes} bytes, received ${length}`);
    exports.prepare(this.#options.source.table.address);
    const { memory } = this.#transcoder;
    let address = windowAddress;
    for (const part of parts) {
      memory.set(part, address);
      address += part.length;
    }
    this.#kept = EMPTY;
    this.#refused = undefined;
    this.#pieceBytes = length;
    return memory.subarray(windowAddress, windowAddress + length);
  }

  keep(position: number): void {
    const { memory, windowAddress } = this.#transcoder;
    // A copy: other streams use the window too.
    if (position < this.#pieceBytes) {
      this.#kept = new Uint8Array(
        memory.subarray(windowAddress + position, windowAddress + this.#pieceBytes),
      );
    }
  }

  get keptBytes(): number {
    return this.#kept.length;
  }

  takeItems(position: number, leastBytes: number, mostBytes: number): TakenItems | 'incomplete' | 'special' {
    if (this.#refused?.position === position) return this.#refused.verdict;
    const { windowAddress, cells, cellAddress } = this.#transcoder;
    const { source, plan } = this.#options;
    const run = this.#transcoder.items(source.table.address, plan, {
      from: windowAddress + position,
      end: windowAddress + this.#pieceBytes,
      leastBytes,
      mostBytes,
    });
    // What is not there yet looks like what is not JSON.
    const verdict = run.refusal === -ABANDONED.invalid ? 'incomplete' : 'special';
    if (run.count === 0) return verdict;
    const end = run.itemEnd - windowAddress;
    // The next one begins behind a comma. It need not be tried again.
    if (run.refusal !== 0) this.#refused = { position: end + 1, verdict };
    return { run: { cells, offset: cellAddress, byteLength: run.byteLength, count: run.count }, end };
  }

  decodeItem(bytes: Uint8Array, depth?: number): Decoded {
    const address = this.#addressOf(bytes);
    if (address !== undefined) {
      const { source, plan } = this.#options;
      const length = this.#transcoder.item(source.table.address, plan, address, address + bytes.length, true);
      if (length >= 0) return this.#row();
    }
    this.#delegated++;
    return this.#options.reference.decodeItem(bytes, depth);
  }

  decodeEvent(bytes: Uint8Array): Decoded {
    const { source, plan } = this.#options;
    this.#transcoder.exports.prepare(source.table.address);
    const address = this.#addressOf(bytes);
    if (address !== undefined) {
      const length = this.#transcoder.event(source.table.address, plan, address, address + bytes.length);
      if (length >= 0) return this.#row();
    }
    this.#delegated++;
    return this.#options.reference.decodeEvent(bytes);
  }

  /** Where the document is in the module's memory, or has been put; undefined if it is too large. */
  #addressOf(bytes: Uint8Array): number | undefined {
    const { memory, documentAddress, documentBytes } = this.#transcoder;
    if (bytes.buffer === memory.buffer) return bytes.byteOffset;
    if (bytes.length > documentBytes) return undefined;
    memory.set(bytes, documentAddress);
    return documentAddress;
  }

  #row(): CellRow {
    return { cells: this.#transcoder.cells, offset: this.#transcoder.cellAddress };
  }
}
