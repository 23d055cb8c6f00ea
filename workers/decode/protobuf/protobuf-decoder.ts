import type { ObjectType } from '../../../src/kube/item-type.js';
import { Cells, type OrderedRun } from '../../../src/wire/cells.js';
import type { DecodingOptions } from '../../../src/wire/stream-task.js';
import type { ListHead } from '../../split/item-splitter.js';
import type { Decoded, Decoder, RunDecoder, TakenEvents } from '../decoder.js';
import { planItems } from '../decoding-plan.js';
import { EventRuns } from '../event-runs.js';
import type { ShardFilter } from '../shard-filter.js';
import type { TableLease } from '../shared-definition-table.js';
import type { PlanAddress, SchemaAddress, Transcoder, TranscoderTable } from '../transcoder.js';
import type { SchemaImages } from './schema-image.js';
import type { UnknownFields } from './unknown-fields.js';

export interface ProtobufDecoderOptions {
  readonly transcoder: Transcoder;
  readonly source: TableLease<TranscoderTable>;
  /** Owned by the caller. */
  readonly plan: PlanAddress;
  readonly schemas: SchemaImages;
  readonly decoding: DecodingOptions;
  /** Of the stream. */
  readonly unknownFields: UnknownFields;
  readonly filter?: ShardFilter | undefined;
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

/**
 * The module's protobuf decoder, with the reference decoder as fallback. The stream's first unknown field is left to the
 * reference decoder, which tells where it is; if the stream is not to fail for it, the module counts the others.
 */
export class ProtobufDecoder implements RunDecoder {
  readonly #options: ProtobufDecoderOptions;
  readonly #transcoder: Transcoder;
  readonly #events: EventRuns;
  #schema: SchemaAddress | undefined;
  #isUnknownAbandoned = true;
  #documents = 0;
  #delegated = 0;

  constructor(options: ProtobufDecoderOptions) {
    this.#options = options;
    this.#transcoder = options.transcoder;
    this.#events = new EventRuns(options);
    this.#schema = this.#schemaOf(options.decoding);
    this.#transcoder.exports.planUnknown(options.plan, true);
  }

  /** How many documents the reference decoder had to read. */
  get delegated(): number {
    return this.#delegated;
  }

  beginList(head: ListHead): void {
    const { decoding, plan, reference } = this.#options;
    const type = planItems(this.#transcoder, plan, decoding, head);
    this.#schema ??= this.#schemaOf(type);
    reference.beginList(head);
  }

  decodeItem(bytes: Uint8Array): Decoded {
    return this.#decode('protobufItem', bytes) ?? this.#counted(this.#options.reference.decodeItem(bytes));
  }

  decodeEvent(bytes: Uint8Array): Decoded {
    return this.#decode('protobufEvent', bytes) ?? this.#counted(this.#options.reference.decodeEvent(bytes));
  }

  #counted(decoded: Decoded): Decoded {
    if (this.#isUnknownAbandoned && this.#options.unknownFields.first !== undefined) {
      this.#isUnknownAbandoned = false;
      this.#transcoder.exports.planUnknown(this.#options.plan, false);
    }
    return decoded;
  }

  get maxPieceBytes(): number {
    return this.#transcoder.windowBytes;
  }

  loadEvents(parts: readonly Uint8Array[]): Buffer {
    return this.#events.load(parts);
  }

  takeEvents(position: number, maxBytes: number): TakenEvents {
    const schema = this.#schema;
    if (schema === undefined) return { run: NO_EVENTS, end: position, next: 'special' };
    const taken = this.#events.take(schema, position, maxBytes);
    this.#countUnknownFields();
    return taken;
  }

  #countUnknownFields(): void {
    if (this.#isUnknownAbandoned) return;
    this.#options.unknownFields.addSkipped(this.#transcoder.takeUnknownFields());
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
        this.#countUnknownFields();
        return { cells: this.#transcoder.cells, offset: cellAddress };
      }
    }
    this.#delegated++;
    return undefined;
  }
}
