/** One batch as it crosses the door. The byte layout, the writer (worker) and the reader (main) are the work of this file's room. */

import type { DefinitionSource } from './definition.js';

/** Event types as the header carries them. Items of lists are `item`. */
export type RowType = 'item' | 'added' | 'modified' | 'deleted' | 'bookmark' | 'error' | 'rejected';

/** The header of one entry; what the main thread can know without decoding the object. */
export interface RowHeader {
  readonly type: RowType;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** In the order of `DecodingOptions.indexPaths`, then `hookIndexes`. */
  readonly indexValues: readonly (readonly string[])[];
}

/** A row that carries no object. */
export type ControlRow =
  | { readonly type: 'bookmark'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: 'error'; readonly status: Readonly<Record<string, unknown>> }
  | {
      readonly type: 'rejected';
      readonly reason:
        | 'wrong-type'
        | 'wrong-gvk'
        | 'table'
        | 'no-metadata'
        | 'unknown-event'
        | 'undecodable'
        | 'hook';
      readonly message: string;
      readonly eventType?: string;
      readonly key?: string;
      readonly resourceVersion?: string;
    };

/** Rows in the order of the stream. `payload` is msgpack of the object, `structures` says by which table it is read. */
export type BatchRow =
  | { readonly header: RowHeader; readonly payloadOffset: number; readonly payloadLength: number }
  | ControlRow;

/** What a decoder gives, and a batch takes. The payload is only borrowed. */
export type WritableRow = { readonly header: RowHeader; readonly payload: Uint8Array } | ControlRow;

/** The worker's side of a stream's batches. One per stream; used again after `finish`. */
export class BatchWriter {
  /** `source` is the packer by which the payloads are made. Its definitions travel with the batches. */
  constructor(source: DefinitionSource) {
    void source;
  }

  /** Rows since the last `finish`. */
  get rows(): number {
    throw new Error('not yet');
  }

  /** Size that the batch would have now, about. */
  get bytes(): number {
    throw new Error('not yet');
  }

  /** Copies what it needs. */
  add(row: WritableRow): void {
    void row;
    throw new Error('not yet');
  }

  /** The batch, in a buffer of its own and of its exact size, to be transferred. */
  finish(epoch: number, sequence: number): ArrayBuffer {
    void epoch;
    void sequence;
    throw new Error('not yet');
  }
}
