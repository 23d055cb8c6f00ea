import { threadId } from 'node:worker_threads';
import { failBatch } from '../msgpack.js';

/**
 * What payloads refer to by number: the keys of a record, or a string that is frequent. A payload is read with a table
 * that has at least the definitions that existed when it was packed.
 */
export type Definition = readonly string[] | string;

/** As many as two bytes can name: see codec.ts. */
export const MAX_DEFINITIONS: number = 32 + 32 * 256;

/** Checks what was read from a batch; throws `KUBEFLECT_BATCH_INVALID`. */
export function toDefinitions(value: unknown, count: number): readonly Definition[] {
  if (!Array.isArray(value) || value.length !== count || !value.every(isDefinition)) {
    return failBatch(`${count} definitions`, 'something else');
  }
  return value;
}

function isDefinition(value: unknown): value is Definition {
  return typeof value === 'string' || (Array.isArray(value) && value.every((key) => typeof key === 'string'));
}

/** The worker's side of a table of definitions, as batches take it along. */
export interface DefinitionSource {
  /** Unlike that of every other source in the process, in every thread and after every restart of a thread. */
  readonly tableId: string;
  /** Append-only; grows only during `pack`. */
  readonly definitions: readonly Definition[];
}

/** One that is bounded. */
export interface DefinitionTable extends DefinitionSource {
  /** Nothing more will be defined: a new one would serve better. */
  readonly isFull: boolean;
}

let tablesOfThread = 0;

/** Threads are numbered by Node, and no number is used twice in a process. */
export function newTableId(): string {
  return `${threadId}.${tablesOfThread++}`;
}
