import type { SnapshotThread, SpawnSnapshotThread } from '../../pool/snapshot-thread.js';
import type { CapturedSlab, SnapshotRequest, SnapshotResponse } from '../../snapshot/messages.js';
import type { SnapshotHeader } from '../../snapshot/snapshot-header.js';
import { SnapshotRejection, type SnapshotRejectionReason } from '../../snapshot/snapshot-rejection.js';
import { onAbort } from '../../util/abort.js';
import type { Definition } from '../../wire/definitions.js';
import type { ObjectReader } from '../../wire/object-reader.js';

export type SnapshotCells = Extract<SnapshotResponse, { type: 'cells' }>;

export interface SnapshotSink {
  readonly onBegin: (objects: number) => void;
  readonly onTable: (definitions: readonly Definition[]) => void;
  readonly onCells: (cells: SnapshotCells) => void;
}

/** Ended early, because the informer stops or the engine closes. */
export class SnapshotAborted extends Error {}

/** The same, but rejects with `SnapshotAborted` when the signal aborts. */
export function untilAborted<R>(work: Promise<R>, signal: AbortSignal): Promise<R> {
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, () => reject(new SnapshotAborted('no longer needed')));
    work.then(resolve, reject).finally(release);
  });
}

/** Per message: copying more at once would stall the main thread. */
const DEFINITIONS_PER_MESSAGE = 1000;
const SLABS_PER_MESSAGE = 32;

export interface SnapshotClientOptions {
  readonly directory: string;
  readonly key: Uint8Array | undefined;
  readonly maxBytes: number;
  readonly spawn: SpawnSnapshotThread;
  readonly entry: URL | undefined;
}

interface Pending {
  readonly sink: SnapshotSink | undefined;
  readonly resolve: (response: SnapshotResponse) => void;
  readonly reject: (error: Error) => void;
}

type Answered = Extract<SnapshotRequest, { id: number }>;
type Unnumbered<R> = R extends unknown ? Omit<R, 'id'> : never;

/** The main thread's side of the thread of the snapshots: requests and their answers. Starts the thread when needed. */
export class SnapshotClient {
  readonly #options: SnapshotClientOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  /** How many definitions of each table the thread has. */
  readonly #defined = new Map<string, number>();
  /** By name: the tables of the last write. */
  readonly #written = new Map<string, Iterable<string>>();
  #thread: SnapshotThread | undefined;
  /** Resolves when the thread has the directory. */
  #opened: Promise<void> | undefined;
  #nextId = 1;

  constructor(options: SnapshotClientOptions) {
    this.#options = options;
  }

  /** Rejects with `SnapshotRejection`: `locked`, or `failed`. The next call tries again. */
  open(): Promise<void> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** Rejects with `SnapshotRejection`. */
  async read(
    request: Unnumbered<Extract<SnapshotRequest, { type: 'read' }>>,
    sink: SnapshotSink,
  ): Promise<SnapshotHeader> {
    await this.open();
    const response = await this.#ask(request, sink);
    if (response.type !== 'read') throw new Error('a response to another request');
    return response.header;
  }

  /**
   * Rejects with `SnapshotRejection`, or `SnapshotAborted`. Of one name, one write at a time. `readers` are those of
   * everything in it; `turn` waits for another turn of the event loop.
   */
  async write(
    request: Omit<Unnumbered<Extract<SnapshotRequest, { type: 'write' }>>, 'tables'>,
    { slabs, readers }: { slabs: readonly CapturedSlab[]; readers: ReadonlyMap<string, ObjectReader> },
    turn: () => Promise<void>,
  ): Promise<{ readonly bytes: number; readonly cpuMs: number }> {
    await this.open();
    const { name } = request;
    this.#written.set(name, [...readers.keys()]);
    // As of now: a table may grow while the next one is copied.
    const tables: Record<string, number> = {};
    for (const [tableId, reader] of readers) tables[tableId] = await this.#define(reader, turn);
    for (let first = 0; first < slabs.length; first += SLABS_PER_MESSAGE) {
      this.#thread?.post({ type: 'slabs', name, slabs: slabs.slice(first, first + SLABS_PER_MESSAGE) });
      await turn();
    }
    const response = await this.#ask({ ...request, tables }, undefined);
    if (response.type !== 'written') throw new Error('a response to another request');
    this.#forgetTables();
    return response;
  }

  /** Returns how many definitions of a table the thread has. */
  async #define(reader: ObjectReader, turn: () => Promise<void>): Promise<number> {
    const { tableId, size } = reader;
    for (let first = this.#defined.get(tableId) ?? 0; first < size; first += DEFINITIONS_PER_MESSAGE) {
      const definitions = reader.definitionsFrom(first).slice(0, DEFINITIONS_PER_MESSAGE);
      this.#thread?.post({ type: 'define', tableId, first, definitions });
      this.#defined.set(tableId, first + definitions.length);
      await turn();
    }
    return size;
  }

  /** Ends a write that is under way. */
  abort(): void {
    Atomics.store(this.#stop, 0, 1);
  }

  /** Requests that were made before are answered first. */
  async close(): Promise<void> {
    await this.#thread?.end();
  }

  /** Those of no file, as of workers that have ended. One that is needed again is defined again. */
  #forgetTables(): void {
    const needed = new Set([...this.#written.values()].flatMap((tables) => [...tables]));
    for (const tableId of this.#defined.keys()) {
      if (needed.has(tableId)) continue;
      this.#defined.delete(tableId);
      this.#thread?.post({ type: 'forget', tableId });
    }
  }

  async #open(): Promise<void> {
    const { directory, key, maxBytes } = this.#options;
    this.#thread ??= this.#spawn();
    const stop = this.#stop.buffer as SharedArrayBuffer;
    try {
      await this.#ask({ type: 'open', directory, key, maxBytes, stop }, undefined);
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }

  #spawn(): SnapshotThread {
    const { spawn, entry } = this.#options;
    return spawn({
      entry,
      onResponse: (response) => this.#onResponse(response),
      onGone: () => {
        this.#thread = undefined;
        this.#opened = undefined;
        this.#defined.clear();
        this.#written.clear();
        const pending = [...this.#pending.values()];
        this.#pending.clear();
        for (const { reject } of pending) reject(new SnapshotRejection('failed', 'its thread has ended'));
      },
    });
  }

  #ask(request: Unnumbered<Answered>, sink: SnapshotSink | undefined): Promise<SnapshotResponse> {
    const thread = this.#thread;
    if (thread === undefined) return Promise.reject(new SnapshotRejection('failed', 'its thread has ended'));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { sink, resolve, reject });
      thread.setPending(true);
      thread.post({ ...request, id } as SnapshotRequest);
    });
  }

  #onResponse(response: SnapshotResponse): void {
    const pending = this.#pending.get(response.id);
    if (pending === undefined) return;
    if (response.type === 'begin') pending.sink?.onBegin(response.objects);
    else if (response.type === 'table') pending.sink?.onTable(response.definitions);
    else if (response.type === 'cells') pending.sink?.onCells(response);
    else {
      this.#pending.delete(response.id);
      if (this.#pending.size === 0) this.#thread?.setPending(false);
      if (response.type !== 'rejected') pending.resolve(response);
      else pending.reject(errorOf(response.reason, response.message));
    }
  }
}

function errorOf(reason: SnapshotRejectionReason | 'aborted', message: string): Error {
  return reason === 'aborted' ? new SnapshotAborted(message) : new SnapshotRejection(reason, message);
}
