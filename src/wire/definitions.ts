import { threadId } from 'node:worker_threads';
import { failBatch } from './msgpack.js';

/**
 * What payloads refer to by number: the keys of a record, or a frequent string. A payload is read with a table that
 * has at least the definitions that existed when it was packed.
 */
export type Definition = readonly string[] | string;

/** As many as a reference of two bytes can name: see object-packer.ts. */
export const MAX_DEFINITIONS: number = 32 + 32 * 256;

/** Checks the definitions of a batch; throws `KUBEFLECT_BATCH_INVALID` if they are not as many definitions. */
export function toDefinitions(value: unknown, count: number): readonly Definition[] {
  if (!Array.isArray(value) || value.length !== count || !value.every(isDefinition)) {
    return failBatch(`${count} definitions`, 'something else');
  }
  return value;
}

function isDefinition(value: unknown): value is Definition {
  return typeof value === 'string' || (Array.isArray(value) && value.every((key) => typeof key === 'string'));
}

/** A worker's table of definitions, which its batches send. */
export interface DefinitionSource {
  /** Unique in the process, over all threads and their restarts. */
  readonly tableId: string;
  /** Append-only; grows only during `pack`. */
  readonly definitions: readonly Definition[];
}

/** A table of bounded size. */
export interface DefinitionTable extends DefinitionSource {
  /** Nothing more will be defined: a new table should replace it. */
  readonly isFull: boolean;
}

let tablesOfThread = 0;

/** Node never uses a thread id twice in a process. */
export function newTableId(): string {
  return `${threadId}.${tablesOfThread++}`;
}
