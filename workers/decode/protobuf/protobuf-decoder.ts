import type { ObjectType } from '../../../src/kube/item-type.js';
import { Cells, type OrderedRun } from '../../../src/wire/cells.js';
import type { DecodingOptions } from '../../../src/wire/stream-task.js';
import type { ListHead } from '../../split/item-splitter.js';
import type { Decoded, Decoder, RunDecoder, TakenEvents } from '../decoder.js';
import { planItems } from '../decoding-plan.js';
import type { TableLease } from '../shared-definition-table.js';
import type { PlanAddress, SchemaAddress, Transcoder, TranscoderTable } from '../transcoder.js';
import type { SchemaImages } from './schema-image.js';

export interface ProtobufDecoderOptions {
  readonly transcoder: Transcoder;
  readonly source: TableLease<TranscoderTable>;
  /** Owned by the caller. */
  readonly plan: PlanAddress;
  readonly schemas: SchemaImages;
  readonly decoding: DecodingOptions;
  /** For documents that the module abandons: invalid or very rare ones. Its payloads need no table. */
  readonly reference: Decoder;
}

const NO_EVENTS: OrderedRun = {
  cells: new Cells(new ArrayBuffer(0)),
  offset: 0,
  lastOffset: 0,
  byteLength: 0,
  count: 0,
  isOrdered: false,
};

/** Left free after a document, for strings that are formatted from numbers. */
const SPARE_BYTES = 128 * 1024;

/** Memory of a table is reserved for this many documents at once; one that needs more defines less. */
const PREPARED_DOCUMENTS = 8;

/** The module's protobuf decoder, with the reference decoder as fallback. */
export class ProtobufDecoder implements RunDecoder {
  readonly #options: ProtobufDecoderOptions;
  readonly #transcoder: Transcoder;
  #schema: SchemaAddress | undefined;
  #unknownFields = 0;
  #documents = 0;
  #pieceBytes = 0;
  #delegated = 0;

  constructor(options: ProtobufDecoderOptions) {
    this.#options = options;
    this.#transcoder = options.transcoder;
    this.#schema = this.#schemaOf(options.decoding);
  }

  /** How many documents the reference decoder had to read. */
  get delegated(): number {
    return this.#delegated;
  }

  /** How many unknown fields the module has skipped. */
  get unknownFields(): number {
    return this.#unknownFields;
  }

  beginList(head: ListHead): void {
    const { decoding, plan, reference } = this.#options;
    const type = planItems(this.#transcoder, plan, decoding, head);
    this.#schema ??= this.#schemaOf(type);
    reference.beginList(head);
  }

  decodeItem(bytes: Uint8Array): Decoded {
    return this.#decode('protobufItem', bytes) ?? this.#options.reference.decodeItem(bytes);
  }

  decodeEvent(bytes: Uint8Array): Decoded {
    return this.#decode('protobufEvent', bytes) ?? this.#options.reference.decodeEvent(bytes);
  }

  get maxPieceBytes(): number {
    return this.#transcoder.windowBytes;
  }

  loadEvents(parts: readonly Uint8Array[]): Buffer {
    const piece = this.#transcoder.load(this.#options.source.table.address, parts);
    this.#pieceBytes = piece.length;
    return piece;
  }

  takeEvents(position: number, maxBytes: number): TakenEvents {
    const { windowAddress } = this.#transcoder;
    const { source, plan } = this.#options;
    const schema = this.#schema;
    if (schema === undefined) return { run: NO_EVENTS, end: position, next: 'special' };
    const run = this.#transcoder.events(source.table.address, plan, schema, {
      from: windowAddress + position,
      end: windowAddress + this.#pieceBytes,
      maxBytes,
    });
    // The reference decoder counts those of an event that was abandoned.
    this.#unknownFields += this.#transcoder.takeUnknownFieldsOfRun();
    return { run, end: run.end - windowAddress, next: run.next };
  }

  /** Partial metadata is the same for all kinds. */
  #schemaOf({ apiVersion, kind }: ObjectType): SchemaAddress | undefined {
    const { schemas, decoding } = this.#options;
    if (decoding.form === 'metadata') return schemas.ofMetadata(decoding.apiVersion, decoding.kind);
    return schemas.of(apiVersion, kind);
  }

  /** Undefined if the reference decoder has to read it. */
  #decode(document: 'protobufItem' | 'protobufEvent', bytes: Uint8Array): Decoded | undefined {
    const { source, plan } = this.#options;
    const schema = this.#schema;
    const { exports, documentAddress, documentBytes, cellAddress } = this.#transcoder;
    // In the memory of the module: an event of a piece that was abandoned.
    const isAbandoned = bytes.buffer === this.#transcoder.memory.buffer;
    if (schema !== undefined && !isAbandoned && bytes.length <= documentBytes - SPARE_BYTES) {
      if (this.#documents++ % PREPARED_DOCUMENTS === 0) exports.prepare(source.table.address);
      this.#transcoder.memory.set(bytes, documentAddress);
      const end = documentAddress + bytes.length;
      const length = this.#transcoder.protobuf(
        document,
        source.table.address,
        plan,
        schema,
        documentAddress,
        end,
      );
      if (length >= 0) {
        this.#unknownFields += this.#transcoder.takeUnknownFields();
        return { cells: this.#transcoder.cells, offset: cellAddress };
      }
    }
    // The reference decoder counts them.
    this.#transcoder.takeUnknownFields();
    this.#delegated++;
    return undefined;
  }
}
