import { readFileSync } from 'node:fs';
import { Cells, type OrderedRun } from '../../src/wire/cells.js';
import { type Definition, type DefinitionTable, newTableId } from '../../src/wire/definitions.js';
import { MAP_FIELDS } from '../../src/wire/shape-table.js';

/** Addresses in the memory of the module. */
export type TableAddress = number & { readonly table: unique symbol };
export type PlanAddress = number & { readonly plan: unique symbol };
export type SchemaAddress = number & { readonly schema: unique symbol };
export type PathAddress = number & { readonly path: unique symbol };

/** The exports of workers/transcoder/index.ts. */
export interface TranscoderExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly window: { readonly value: number };
  readonly windowBytes: { readonly value: number };
  readonly document: { readonly value: number };
  readonly documentBytes: { readonly value: number };
  readonly cell: { readonly value: number };
  readonly run: { readonly value: number };
  setMapFields(names: number, length: number): void;
  newTable(): TableAddress;
  freeTable(table: TableAddress): void;
  isTableFull(table: TableAddress): number;
  newPlan(maxDepth: number, indexCount: number): PlanAddress;
  freePlan(plan: PlanAddress): void;
  planRoot(plan: PlanAddress): PathAddress;
  planPath(plan: PlanAddress, parent: PathAddress, name: number, length: number): PathAddress | 0;
  planDrop(path: PathAddress): void;
  planCapture(path: PathAddress, number: number): void;
  planIndex(path: PathAddress, index: number): void;
  planGated(plan: PlanAddress, index: number): void;
  planElement(path: PathAddress): void;
  planGate(path: PathAddress): void;
  planType(plan: PlanAddress, kind: number, kindLength: number, apiVersion: number, length: number): number;
  planPartial(
    plan: PlanAddress,
    kind: number,
    kindLength: number,
    apiVersion: number,
    length: number,
  ): number;
  planItems(plan: PlanAddress, kind: number, kindLength: number): void;
  planUnknown(plan: PlanAddress, isAbandoned: boolean): void;
  planRanges(plan: PlanAddress, count: number): number;
  prepare(table: TableAddress): void;
  item(table: TableAddress, plan: PlanAddress, from: number, end: number): number;
  items(
    table: TableAddress,
    plan: PlanAddress,
    from: number,
    end: number,
    minBytes: number,
    maxBytes: number,
  ): void;
  event(table: TableAddress, plan: PlanAddress, from: number, end: number): number;
  events(table: TableAddress, plan: PlanAddress, from: number, end: number, maxBytes: number): void;
  protobufItem(
    table: TableAddress,
    plan: PlanAddress,
    schema: SchemaAddress,
    from: number,
    end: number,
  ): number;
  protobufEvent(
    table: TableAddress,
    plan: PlanAddress,
    schema: SchemaAddress,
    from: number,
    end: number,
  ): number;
  protobufEvents(
    table: TableAddress,
    plan: PlanAddress,
    schema: SchemaAddress,
    from: number,
    end: number,
    maxBytes: number,
  ): void;
  reserveSchema(bytes: number): SchemaAddress;
  readonly unknownFields: { readonly value: number };
  definitionCount(table: TableAddress): number;
  definitionList(table: TableAddress): number;
  reset(): void;
}

/** The part of WebAssembly that is used; TypeScript's library for Node does not declare it. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
  validate(bytes: Uint8Array): boolean;
}

/** Why a document was abandoned; the numbers are those of workers/transcoder/cursor.ts. */
export const ABANDONED = { invalid: 1, unexpected: 2, rare: 3 } as const;

/** Why a run ended; the numbers are those of workers/transcoder/run.ts. */
const RUN_END = { full: 0, incomplete: 1, oversized: 2 } as const;

/** The words that describe a run: see workers/transcoder/run.ts. */
const RUN = {
  count: 0,
  byteLength: 1,
  last: 2,
  end: 3,
  itemEnd: 4,
  isOrdered: 5,
  foreign: 6,
  version: 7,
  versionLength: 8,
} as const;
const RUN_WORDS = 9;

const NONE_FOREIGN: ForeignObjects = { count: 0, lastVersion: undefined };

/** Thrown through the module. Without a stack: an abandoned document is nothing special. */
const ABANDON: unique symbol = Symbol('abandon');

/** The module's instance and its memory. One per thread: a memory takes gigabytes of address space. */
export class Transcoder {
  readonly exports: TranscoderExports;
  readonly windowAddress: number;
  readonly windowBytes: number;
  readonly documentAddress: number;
  readonly documentBytes: number;
  readonly cellAddress: number;
  readonly #runAddress: number;
  #memory: Buffer = Buffer.alloc(0);
  #runWords: Uint32Array = new Uint32Array(RUN_WORDS);
  #cells: Cells = new Cells(new ArrayBuffer(0));
  #abandoned = 0;
  #isBroken = false;
  #unknownFields = 0;

  /** Undefined where WebAssembly or its SIMD instructions are not supported. */
  static create(): Transcoder | undefined {
    const api = (globalThis as { readonly WebAssembly?: WebAssemblyApi }).WebAssembly;
    if (api === undefined) return undefined;
    const bytes = readFileSync(new URL('../transcoder/transcoder.wasm', import.meta.url));
    return api.validate(bytes) ? new Transcoder(api, new api.Module(bytes)) : undefined;
  }

  private constructor(api: WebAssemblyApi, module: object) {
    const host = {
      abandon: (reason: number): never => {
        this.#abandoned = reason;
        throw ABANDON;
      },
      parseNumber: (address: number, length: number): number => Number(this.readString(address, length)),
    };
    const instance = new api.Instance(module, { host });
    this.exports = instance.exports as TranscoderExports;
    const { window, windowBytes, document, documentBytes, cell, run } = this.exports;
    this.windowAddress = window.value;
    this.windowBytes = windowBytes.value;
    this.documentAddress = document.value;
    this.documentBytes = documentBytes.value;
    this.cellAddress = cell.value;
    this.#runAddress = run.value;
    this.exports.setMapFields(
      this.documentAddress,
      this.write([...MAP_FIELDS].map((field) => `${field}"`).join('')),
    );
  }

  /** Views are valid until the memory grows: never during documents, only in `newTable`, `newPlan` and `prepare`. */
  get memory(): Buffer {
    if (this.#memory.length === 0) {
      this.#memory = Buffer.from(this.exports.memory.buffer);
      this.#cells = new Cells(this.exports.memory.buffer);
      this.#runWords = new Uint32Array(this.exports.memory.buffer, this.#runAddress, RUN_WORDS);
    }
    return this.#memory;
  }

  /** Reads the cell at `cellAddress`. */
  get cells(): Cells {
    if (this.#memory.length === 0) this.memory;
    return this.#cells;
  }

  readString(address: number, length: number): string {
    return this.memory.toString('latin1', address, address + length);
  }

  /** Writes an ASCII string; returns its length. */
  write(value: string, address: number = this.documentAddress): number {
    return this.memory.write(value, address, 'latin1');
  }

  /** Decodes an event. Returns the length of its cell, or one of `ABANDONED`, negated. */
  event(table: TableAddress, plan: PlanAddress, from: number, end: number): number {
    if (this.#isBroken) return -ABANDONED.rare;
    try {
      return this.exports.event(table, plan, from, end);
    } catch (error) {
      return this.#reasonOf(error);
    }
  }

  /** Decodes an item. Returns the same as `event`. */
  item(table: TableAddress, plan: PlanAddress, from: number, end: number): number {
    if (this.#isBroken) return -ABANDONED.rare;
    try {
      return this.exports.item(table, plan, from, end);
    } catch (error) {
      return this.#reasonOf(error);
    }
  }

  /** Decodes an item or event in protobuf. Returns the same as `event`. */
  protobuf(
    document: 'protobufItem' | 'protobufEvent',
    table: TableAddress,
    plan: PlanAddress,
    schema: SchemaAddress,
    from: number,
    end: number,
  ): number {
    if (this.#isBroken) return -ABANDONED.rare;
    try {
      return this.exports[document](table, plan, schema, from, end);
    } catch (error) {
      return this.#reasonOf(error);
    }
  }

  /** Decodes consecutive items, up to the first that was abandoned. */
  items(table: TableAddress, plan: PlanAddress, piece: ItemsPiece): ItemsRun {
    const { exports } = this;
    const abandoned = this.#run(() =>
      exports.items(table, plan, piece.from, piece.end, piece.minBytes, piece.maxBytes),
    );
    return {
      abandoned,
      count: this.#isBroken ? 0 : this.#runWord('count'),
      byteLength: this.#runWord('byteLength'),
      itemEnd: this.#runWord('itemEnd'),
    };
  }

  /** Decodes consecutive events, in protobuf if there is a schema, up to the first that is abandoned or too large. */
  events(
    table: TableAddress,
    plan: PlanAddress,
    schema: SchemaAddress | undefined,
    piece: Omit<ItemsPiece, 'minBytes'>,
  ): EventRun {
    const { exports, cellAddress } = this;
    const abandoned = this.#run(() => {
      if (schema === undefined) exports.events(table, plan, piece.from, piece.end, piece.maxBytes);
      else exports.protobufEvents(table, plan, schema, piece.from, piece.end, piece.maxBytes);
    });
    const runEnd = this.#runWord('end');
    const isIncomplete = abandoned === 0 && runEnd === RUN_END.incomplete;
    return {
      cells: this.cells,
      offset: cellAddress,
      lastOffset: cellAddress + this.#runWord('last'),
      byteLength: this.#runWord('byteLength'),
      count: this.#isBroken ? 0 : this.#runWord('count'),
      isOrdered: this.#runWord('isOrdered') !== 0,
      end: this.#isBroken ? piece.from : this.#runWord('itemEnd'),
      next: isIncomplete ? 'incomplete' : abandoned === 0 && runEnd === RUN_END.full ? 'more' : 'special',
    };
  }

  /** `load` has renewed the view. */
  #runWord(word: keyof typeof RUN): number {
    return this.#runWords[RUN[word]] as number;
  }

  /** Why the run ended: one of `ABANDONED`, negated, or 0. */
  #run(decode: () => void): number {
    if (this.#isBroken) return -ABANDONED.rare;
    try {
      decode();
      return 0;
    } catch (error) {
      return this.#reasonOf(error);
    }
  }

  /**
   * Copies the parts to the window, one after the other, and reserves memory for what is learned from them. The result
   * is valid until the memory grows.
   */
  load(table: TableAddress, parts: readonly Uint8Array[]): Buffer {
    const { windowAddress, windowBytes } = this;
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length > windowBytes) throw new Error(`expected up to ${windowBytes} bytes, got ${length}`);
    this.exports.prepare(table);
    const { memory } = this;
    let address = windowAddress;
    for (const part of parts) {
      memory.set(part, address);
      address += part.length;
    }
    return memory.subarray(windowAddress, address);
  }

  /** The objects of other shards in the last run. */
  get foreign(): ForeignObjects {
    const count = this.#isBroken ? 0 : this.#runWord('foreign');
    if (count === 0) return NONE_FOREIGN;
    const length = this.#runWord('versionLength');
    const lastVersion = length > 0 ? this.readString(this.#runWord('version'), length) : undefined;
    return { count, lastVersion };
  }

  /** How many unknown fields were skipped since the last call, without those of abandoned documents. */
  takeUnknownFields(): number {
    const { value } = this.exports.unknownFields;
    const count = (value - this.#unknownFields) >>> 0;
    this.#unknownFields = value;
    return count;
  }

  /** True after a trap, which is a bug: the module cannot be trusted from then on. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  #reasonOf(error: unknown): number {
    if (error === ABANDON) return -this.#abandoned;
    this.exports.reset();
    // A stack overflow: nested deeper than the stack of this thread allows, but within the limit of the stream.
    if (error instanceof RangeError) return -ABANDONED.rare;
    this.#isBroken = true;
    process.emitWarning('the SIMD decoder failed and is no longer used; this is a bug in kubeflect', {
      type: 'KubeflectWarning',
      code: 'KUBEFLECT_DECODER_FAILED',
      detail: error instanceof Error ? error.message : '',
    });
    return -ABANDONED.rare;
  }
}

/** Objects that a run left out. */
export interface ForeignObjects {
  readonly count: number;
  /** The resource version of the run's last object, if that was left out. */
  readonly lastVersion: string | undefined;
}

/** Addresses, and the limits of `PieceDecoder.takeItems`. */
export interface ItemsPiece {
  readonly from: number;
  readonly end: number;
  readonly minBytes: number;
  readonly maxBytes: number;
}

/** The cells begin at `cellAddress`. */
export interface ItemsRun {
  /** Why the item after the last one was abandoned: one of `ABANDONED`, negated; 0 if none was. */
  readonly abandoned: number;
  readonly count: number;
  readonly byteLength: number;
  /** The address after the last item. */
  readonly itemEnd: number;
}

/** Events in the memory of the module, and what comes after them. */
export interface EventRun extends OrderedRun {
  /** The address after the last event. */
  readonly end: number;
  /** `special`: the next event has to be decoded by the reference decoder, or is too large. */
  readonly next: 'more' | 'incomplete' | 'special';
}

/** The definitions of one kind, created by the module. */
export class TranscoderTable implements DefinitionTable {
  readonly tableId: string = newTableId();
  readonly address: TableAddress;
  readonly #transcoder: Transcoder;
  readonly #definitions: Definition[] = [];

  constructor(transcoder: Transcoder) {
    this.#transcoder = transcoder;
    this.address = transcoder.exports.newTable();
  }

  get isFull(): boolean {
    return this.#transcoder.exports.isTableFull(this.address) !== 0;
  }

  /** Frees its memory; the table must not be used after that. */
  free(): void {
    this.#transcoder.exports.freeTable(this.address);
  }

  get definitions(): readonly Definition[] {
    const { exports, memory } = this.#transcoder;
    const count = exports.definitionCount(this.address);
    const list = exports.definitionList(this.address);
    for (let id = this.#definitions.length; id < count; id++) {
      const address = memory.readUInt32LE(list + id * 8);
      const length = memory.readUInt32LE(list + id * 8 + 4);
      const definition = this.#transcoder.readString(address, length >>> 1);
      this.#definitions.push((length & 1) === 1 ? definition.split(',') : definition);
    }
    return this.#definitions;
  }
}
