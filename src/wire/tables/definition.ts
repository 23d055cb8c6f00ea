import { threadId } from 'node:worker_threads';

/**
 * What payloads refer to by number: the keys of a record, or a string that is frequent. A payload is read with a table
 * that has at least the definitions that existed when it was packed.
 */
export type Definition = readonly string[] | string;

/** As many as two bytes can name: see codec.ts. */
export const MAX_DEFINITIONS: number = 32 + 32 * 256;

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
