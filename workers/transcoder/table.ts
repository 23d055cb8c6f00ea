/**
 * Shared by the payloads of one kind: definitions of shapes and of frequent strings, as described in
 * src/wire/object-packer.ts. Append-only, and bounded in every respect; what does not fit stays inline in its object.
 *
 * Memory comes in chunks that are reserved between documents. A definition that does not fit into the chunk is created
 * later, or never. A freed table keeps its memory for the next one: the first word of a chunk is the address of the
 * next.
 */

import { clearKeys, Key, newKeys } from './keys';
import { reserve } from './memory';
import { areStringsFull, clearStrings, ensureStringCapacity, newStrings } from './string-table';

/** As many as two bytes can refer to: see src/wire/definitions.ts. */
export const MAX_DEFINITIONS: u32 = 32 + 32 * 256;

const CHUNK_BYTES: usize = 64 * 1024;
const CHUNK_HEAD_BYTES: usize = 16;
/** What a document may need. The first pod of a list needs about 40 KB. */
const SPARE_BYTES: usize = 48 * 1024;

@unmanaged
export class Table {
  /** The list of free tables. */
  nextFree: Table | null;
  firstChunk: usize;
  lastChunk: usize;
  /** The free part of the last chunk. */
  chunk: usize;
  chunkEnd: usize;
  /** Unique, also among tables at the same address. */
  serial: u32;
  /** Number of documents so far. */
  objects: u32;
  /** The number of definitions; for each an address and twice its length, plus one for a shape. */
  definitions: u32;
  definitionList: usize;
  definitionCapacity: u32;
  // See keys.ts.
  keyBuckets: usize;
  keys: u32;
  root: Key;
  // See shapes.ts.
  nodes: u32;
  shapes: u32;
  shapeList: usize;
  candidates: usize;
  // See protobuf/trails.ts.
  steps: u32;
  // See string-table.ts.
  strings: usize;
  stringMask: u32;
  stringCount: u32;
  seen: usize;
  seenMask: u32;
  characters: u32;
  isLearning: bool;
}

/** The table whose document is being read. */
export let table: Table = changetype<Table>(0);

let free: Table | null = null;

let tables: u32 = 0;

export function newTable(): Table {
  const used = free;
  if (used !== null) {
    free = used.nextFree;
    table = used;
    used.serial = ++tables;
    ensureCapacity();
    newKeys();
    return used;
  }
  const created = changetype<Table>(reserve(offsetof<Table>()));
  table = created;
  created.serial = ++tables;
  created.definitionCapacity = 256;
  created.definitionList = reserve(256 * 8);
  newStrings();
  ensureCapacity();
  newKeys();
  return created;
}

export function setTable(used: Table): void {
  table = used;
}

/** The table must not be used after this. */
export function freeTable(used: Table): void {
  table = used;
  for (let chunk = used.firstChunk; chunk != 0; chunk = load<u32>(chunk)) {
    memory.fill(chunk + CHUNK_HEAD_BYTES, 0, CHUNK_BYTES - CHUNK_HEAD_BYTES);
  }
  used.lastChunk = 0;
  used.chunk = 0;
  used.chunkEnd = 0;
  used.objects = 0;
  used.definitions = 0;
  used.nodes = 0;
  used.shapes = 0;
  used.shapeList = 0;
  used.candidates = 0;
  used.steps = 0;
  clearKeys();
  clearStrings();
  used.nextFree = free;
  free = used;
}

/** No more definitions are possible, so a new table would be better. */
export function isTableFull(asked: Table): bool {
  table = asked;
  return table.definitions >= MAX_DEFINITIONS || areStringsFull();
}

/** Called between documents, so that nothing has to grow during them. */
export function ensureCapacity(): void {
  ensureStringCapacity();
  if (table.chunkEnd - table.chunk < SPARE_BYTES) nextChunk();
  if (table.definitions * 2 > table.definitionCapacity && table.definitionCapacity < MAX_DEFINITIONS) {
    const list = reserve(table.definitionCapacity * 4 * 8);
    memory.copy(list, table.definitionList, table.definitions * 8);
    table.definitionList = list;
    table.definitionCapacity *= 4;
  }
}

function nextChunk(): void {
  const last = table.lastChunk;
  let chunk: usize = last == 0 ? table.firstChunk : load<u32>(last);
  if (chunk == 0) {
    chunk = reserve(CHUNK_BYTES);
    if (last == 0) table.firstChunk = chunk;
    else store<u32>(last, <u32>chunk);
  }
  table.lastChunk = chunk;
  table.chunk = chunk + CHUNK_HEAD_BYTES;
  table.chunkEnd = chunk + CHUNK_BYTES;
}

/** Zeroed memory, aligned to 16 bytes; 0 if there is not enough before the next document. */
export function allocate(bytes: usize): usize {
  const size = (bytes + 15) & ~15;
  if (table.chunkEnd - table.chunk < size) return 0;
  const start = table.chunk;
  table.chunk += size;
  return start;
}

export function canDefine(): bool {
  return table.definitions < min(MAX_DEFINITIONS, table.definitionCapacity);
}

/** The number of the new definition. */
export function define(chars: usize, length: u32, isShape: bool): u32 {
  const entry = table.definitionList + table.definitions * 8;
  store<u32>(entry, <u32>chars);
  store<u32>(entry + 4, (length << 1) | (isShape ? 1 : 0));
  return table.definitions++;
}
