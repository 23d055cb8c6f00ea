/** Objects as msgpack bytes, and back. The one file that knows msgpackr and its hazards. */

import { threadId } from 'node:worker_threads';
import { Packr, Unpackr } from 'msgpackr';

/**
 * What payloads refer to by number: the keys of a record, or a string that is frequent. Append-only.
 * A payload is read by a table that has at least the definitions that existed when it was packed.
 */
export type Definition = readonly string[] | string;

/** The worker's side of a table of definitions, as a batch takes it along. */
export interface DefinitionSource {
  /** Unlike that of every other source in the process, in every thread and after every restart of a thread. */
  readonly tableId: string;
  /** Append-only; only grows during `pack`. */
  readonly definitions: readonly Definition[];
}

/**
 * Packs objects as JSON.parse gives them. Never throws for one, and every one comes out of `ObjectReader` equal,
 * but for the order of its keys. One per thread and kind is best: its streams then share one table.
 */
export class ObjectPacker implements DefinitionSource {
  /** Threads are numbered by Node, and no number is used twice in a process. */
  static #packersOfThread = 0;
  readonly tableId: string = `${threadId}.${ObjectPacker.#packersOfThread++}`;
  readonly definitions: Definition[] = [];
  readonly #packr: Packr;

  constructor() {
    this.#packr = new Packr({ useRecords: false, variableMapSize: true });
  }

  /** The bytes are only borrowed: they are overwritten by the next call. */
  pack(object: unknown): Uint8Array {
    return this.#packr.pack(object);
  }
}

/** Reads what one `ObjectPacker` packed, with the definitions that came over the door. */
export class ObjectReader {
  readonly tableId: string;
  readonly #unpackr: Unpackr;

  constructor(tableId: string) {
    this.tableId = tableId;
    this.#unpackr = new Unpackr({ useRecords: false });
  }

  read(bytes: Uint8Array, start: number, end: number): unknown {
    return this.#unpackr.unpack(bytes, { start, end });
  }
}
