import type { DecodingOptions } from '../../../src/wire/stream-task.js';
import type { ListHead } from '../../split/item-splitter.js';
import { acceptedTypes, itemTypeOf, type ObjectType } from '../check-type.js';
import type { Decoded, Decoder } from '../decoder.js';
import { isPlain } from '../decoding-plan.js';
import type { TableLease } from '../shared-definition-table.js';
import type { PlanAddress, SchemaAddress, Transcoder, TranscoderTable } from '../transcoder.js';
import type { SchemaImages } from './schemas.js';

export interface ProtobufDecoderOptions {
  readonly transcoder: Transcoder;
  readonly source: TableLease<TranscoderTable>;
  /** Stays the caller's. */
  readonly plan: PlanAddress;
  readonly schemas: SchemaImages;
  readonly decoding: DecodingOptions;
  /** For what the module gives up: documents that are wrong, or very rare. Its payloads need no table. */
  readonly reference: Decoder;
}

/** Left free behind a document, for texts that are made of numbers. */
const SPARE_BYTES = 128 * 1024;

/** A table is given room for so many documents at once; one that needs more defines less. */
const PREPARED_DOCUMENTS = 8;

/** The module's walk over protobuf, in front of the reference decoder. */
export class ProtobufDecoder implements Decoder {
  readonly #options: ProtobufDecoderOptions;
  readonly #transcoder: Transcoder;
  #schema: SchemaAddress | undefined;
  #unknownFields = 0;
  #documents = 0;
  #delegated = 0;

  constructor(options: ProtobufDecoderOptions) {
    this.#options = options;
    this.#transcoder = options.transcoder;
    this.#schema = this.#schemaOf(options.decoding);
  }

  /** Documents that the reference decoder had to read. */
  get delegated(): number {
    return this.#delegated;
  }

  /** Fields that no schema knows, of what the module has read. */
  get unknownFields(): number {
    return this.#unknownFields;
  }

  beginList(head: ListHead): void {
    const { decoding, plan, reference } = this.#options;
    const type = itemTypeOf(head) ?? decoding;
    const isAccepted = acceptedTypes(decoding).some(
      ({ kind, apiVersion }) => (kind === '' || kind === type.kind) && apiVersion === type.apiVersion,
    );
    const kindBytes = isAccepted && isPlain(type.kind) ? this.#transcoder.write(type.kind) : 0;
    this.#transcoder.exports.planItems(plan, this.#transcoder.documentAddress, kindBytes);
    this.#schema ??= this.#schemaOf(type);
    reference.beginList(head);
  }

  decodeItem(bytes: Uint8Array): Decoded {
    return this.#decode('protobufItem', bytes) ?? this.#options.reference.decodeItem(bytes);
  }

  decodeEvent(bytes: Uint8Array): Decoded {
    return this.#decode('protobufEvent', bytes) ?? this.#options.reference.decodeEvent(bytes);
  }

  /** Of one kind; metadata alone is the same in all. */
  #schemaOf({ apiVersion, kind }: ObjectType): SchemaAddress | undefined {
    const { schemas, decoding } = this.#options;
    if (decoding.form === 'metadata') return schemas.ofMetadata(decoding.apiVersion, decoding.kind);
    return schemas.of(apiVersion, kind);
  }

  /** Undefined if it is the reference decoder's. */
  #decode(document: 'protobufItem' | 'protobufEvent', bytes: Uint8Array): Decoded | undefined {
    const { source, plan } = this.#options;
    const schema = this.#schema;
    const { exports, documentAddress, documentBytes, cellAddress } = this.#transcoder;
    if (schema !== undefined && bytes.length <= documentBytes - SPARE_BYTES) {
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
    // They will be counted by the reference decoder.
    this.#transcoder.takeUnknownFields();
    this.#delegated++;
    return undefined;
  }
}
