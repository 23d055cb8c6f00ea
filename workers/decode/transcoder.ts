import { readFileSync } from 'node:fs';
import { Cells } from '../../src/wire/cells.js';
import { type Definition, type DefinitionTable, newTableId } from '../../src/wire/definitions.js';
import { MAP_FIELDS } from '../../src/wire/shape-table.js';

/** Addresses in the memory of the module. */
export type TableAddress = number & { readonly table: unique symbol };
export type PlanAddress = number & { readonly plan: unique symbol };
export type SchemaAddress = number & { readonly schema: unique symbol };
export type PlaceAddress = number & { readonly place: unique symbol };

/** What workers/transcoder/index.ts exports. */
export interface TranscoderExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly window: { readonly value: number };
  readonly windowBytes: { readonly value: number };
  readonly document: { readonly value: number };
  readonly documentBytes: { readonly value: number };
  readonly cell: { readonly value: number };
  readonly itemEnd: { readonly value: number };
  readonly runItems: { readonly value: number };
  readonly runBytes: { readonly value: number };
  setMapFields(text: number, length: number): void;
  newTable(): TableAddress;
  freeTable(table: TableAddress): void;
  isTableFull(table: TableAddress): number;
  newPlan(maxDepth: number, indexCount: number): PlanAddress;
  freePlan(plan: PlanAddress): void;
  planRoot(plan: PlanAddress): PlaceAddress;
  planPlace(plan: PlanAddress, parent: PlaceAddress, text: number, length: number): PlaceAddress | 0;
  planDrop(place: PlaceAddress): void;
  planCapture(place: PlaceAddress, number: number): void;
  planIndex(place: PlaceAddress, index: number): void;
  planType(plan: PlanAddress, kind: number, kindLength: number, apiVersion: number, length: number): number;
  planPartial(
    plan: PlanAddress,
    kind: number,
    kindLength: number,
    apiVersion: number,
    length: number,
  ): number;
  planItems(plan: PlanAddress, kind: number, kindLength: number): void;
  prepare(table: TableAddress): void;
  item(table: TableAddress, plan: PlanAddress, from: number, end: number, isAlone: boolean): number;
  items(
    table: TableAddress,
    plan: PlanAddress,
    from: number,
    end: number,
    leastBytes: number,
    mostBytes: number,
  ): void;
  event(table: TableAddress, plan: PlanAddress, from: number, end: number): number;
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
  reserveSchema(bytes: number): SchemaAddress;
  readonly unknownFields: { readonly value: number };
  definitionCount(table: TableAddress): number;
  definitionList(table: TableAddress): number;
  reset(): void;
}

/** What is used of it; the library that TypeScript assumes for Node does not have it. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
  validate(bytes: Uint8Array): boolean;
}

/** Why a document was given up; the numbers are those of workers/transcoder/cursor.ts. */
export const ABANDONED = { invalid: 1, unexpected: 2, rare: 3 } as const;

/** Thrown through the module. No stack: a document that is given up is nothing special. */
const ABANDON: unique symbol = Symbol('abandon');

/** The module's instance and its memory. One per thread: a memory takes gigabytes of address space. */
export class Transcoder {
  readonly exports: TranscoderExports;
  readonly windowAddress: number;
  readonly windowBytes: number;
  readonly documentAddress: number;
  readonly documentBytes: number;
  readonly cellAddress: number;
  #memory: Buffer = Buffer.alloc(0);
  #cells: Cells = new Cells(new ArrayBuffer(0));
  #abandoned = 0;
  #isBroken = false;
  #unknownFields = 0;

  /** Undefined where WebAssembly or its SIMD instructions are missing. */
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
      parseNumber: (text: number, length: number): number => Number(this.text(text, length)),
    };
    const instance = new api.Instance(module, { host });
    this.exports = instance.exports as TranscoderExports;
    const { window, windowBytes, document, documentBytes, cell } = this.exports;
    this.windowAddress = window.value;
    this.windowBytes = windowBytes.value;
    this.documentAddress = document.value;
    this.documentBytes = documentBytes.value;
    this.cellAddress = cell.value;
    this.exports.setMapFields(
      this.documentAddress,
      this.write([...MAP_FIELDS].map((field) => `${field}"`).join('')),
    );
  }

  /** Views of the memory last until it grows: never during documents, only in `newTable`, `newPlan` and `prepare`. */
  get memory(): Buffer {
    if (this.#memory.length === 0) {
      this.#memory = Buffer.from(this.exports.memory.buffer);
      this.#cells = new Cells(this.exports.memory.buffer);
    }
    return this.#memory;
  }

  /** The memory, to read the cell at `cellAddress`. */
  get cells(): Cells {
    if (this.#memory.length === 0) this.memory;
    return this.#cells;
  }

  text(address: number, length: number): string {
    return this.memory.toString('latin1', address, address + length);
  }

  /** ASCII. Its length. */
  write(text: string, address: number = this.documentAddress): number {
    return this.memory.write(text, address, 'latin1');
  }

  /** The length of the cell of an event, or one of `ABANDONED`, negated. */
  event(table: TableAddress, plan: PlanAddress, from: number, end: number): number {
    if (this.#isBroken) return -ABANDONED.rare;
    try {
      return this.exports.event(table, plan, from, end);
    } catch (error) {
      return this.#reasonOf(error);
    }
  }

  /** The same of an item, which has to be all there is if it is alone. */
  item(table: TableAddress, plan: PlanAddress, from: number, end: number, isAlone: boolean): number {
    if (this.#isBroken) return -ABANDONED.rare;
    try {
      return this.exports.item(table, plan, from, end, isAlone);
    } catch (error) {
      return this.#reasonOf(error);
    }
  }

  /** The same of an item or event in protobuf. */
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

  /** Items one after the other: those before the first that was given up, and why that was; 0 if none was. */
  items(table: TableAddress, plan: PlanAddress, piece: PieceOfItems): RunOfItems {
    const { exports } = this;
    let refusal = -ABANDONED.rare;
    let isUsed = false;
    if (!this.#isBroken) {
      try {
        exports.items(table, plan, piece.from, piece.end, piece.leastBytes, piece.mostBytes);
        refusal = 0;
      } catch (error) {
        refusal = this.#reasonOf(error);
      }
      isUsed = !this.#isBroken;
    }
    return {
      refusal,
      count: isUsed ? exports.runItems.value : 0,
      byteLength: exports.runBytes.value,
      itemEnd: exports.itemEnd.value,
    };
  }

  /** Fields that no schema knows, since the last call; those of documents that were given up too. */
  takeUnknownFields(): number {
    const { value } = this.exports.unknownFields;
    const count = (value - this.#unknownFields) >>> 0;
    this.#unknownFields = value;
    return count;
  }

  /** True after something that must not happen: what the module says from then on cannot be trusted. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  #reasonOf(error: unknown): number {
    if (error === ABANDON) return -this.#abandoned;
    this.exports.reset();
    // Nested deeper than the stack of this thread allows, but not deeper than was asked for.
    if (error instanceof RangeError) return -ABANDONED.rare;
    this.#isBroken = true;
    process.emitWarning('the SIMD decoder failed, and is not used any more; this is a bug in kubeflect', {
      type: 'KubeflectWarning',
      code: 'KUBEFLECT_DECODER_FAILED',
      detail: error instanceof Error ? error.message : '',
    });
    return -ABANDONED.rare;
  }
}

/** Addresses, and limits as `PieceDecoder.takeItems` has them. */
export interface PieceOfItems {
  readonly from: number;
  readonly end: number;
  readonly leastBytes: number;
  readonly mostBytes: number;
}

/** Their cells begin at `cellAddress`. */
export interface RunOfItems {
  /** One of `ABANDONED`, negated. */
  readonly refusal: number;
  readonly count: number;
  readonly byteLength: number;
  /** The address after the last. */
  readonly itemEnd: number;
}

/** Definitions of one kind, made by the module. */
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

  /** Its memory is free for others; nothing may be made with it any more. */
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
      const text = this.#transcoder.text(address, length >>> 1);
      this.#definitions.push((length & 1) === 1 ? text.split(',') : text);
    }
    return this.#definitions;
  }
}
