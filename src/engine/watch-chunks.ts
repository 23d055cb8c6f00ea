import type { KubernetesObject } from '../kube/object.js';
import type { Status } from '../kube/status.js';
import type { StreamMessage } from '../pool/stream-handle.js';
import type { WatchChunk, WatchEntry } from '../reflector/lister-watcher.js';
import { SlabEntry } from '../store/slab/slab-entry.js';
import type { EntryRow } from '../store/slab/slab-intake.js';
import type { Slice } from '../util/slice-scheduler.js';
import type { Encoding } from '../wire/stream-task.js';
import type { AuthorizedStream } from './authorized-stream.js';
import type { ReadBatch } from './batch-to-entries.js';

interface WatchChunksOptions<T extends KubernetesObject> {
  readonly stream: AuthorizedStream;
  readonly slice: Slice;
  readonly openReader: (epoch: number) => ReadBatch<T>;
  readonly onMessage: (message: StreamMessage) => void;
  /** The server has accepted the watch. What it throws ends the iteration. */
  readonly onOpen: (encoding: Encoding) => void;
  readonly onEvents: (events: readonly WatchEntry<T>[]) => void;
  /** Called at the end of the iteration, once or more often; with the error that ended it, if there was one. */
  readonly onEnd: (error?: unknown) => void;
}

type Result<T extends KubernetesObject> = IteratorResult<WatchChunk<T>, undefined>;

const DONE: IteratorResult<never, undefined> = { done: true, value: undefined };

/**
 * The chunks of one watch, from the messages of its worker. Not a generator: every event of a quiet collection is a
 * batch of its own, and a generator takes several times as many promises for each.
 */
export class WatchChunks<T extends KubernetesObject> implements AsyncIterableIterator<WatchChunk<T>> {
  readonly #options: WatchChunksOptions<T>;
  #readBatch: ReadBatch<T> | undefined;
  /** The events of the last chunk; one array for all of them. */
  readonly #events: WatchEntry<T>[] = [];
  #isDone = false;

  constructor(options: WatchChunksOptions<T>) {
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** A call must settle before the next one is made. */
  next(): Promise<Result<T>> {
    // They were applied, as the next chunk is requested. An entry keeps its slab alive.
    this.#events.length = 0;
    if (this.#isDone) return Promise.resolve(DONE);
    return this.#options.stream.next().then(this.#onMessage, this.#onError);
  }

  return(): Promise<Result<T>> {
    this.#end();
    return Promise.resolve(DONE);
  }

  readonly #onMessage = (message: StreamMessage | undefined): Result<T> | Promise<Result<T>> => {
    try {
      return this.#resultOf(message);
    } catch (error) {
      return this.#onError(error);
    }
  };

  readonly #onError = (error: unknown): never => {
    this.#end(error);
    throw error;
  };

  #resultOf(message: StreamMessage | undefined): Result<T> | Promise<Result<T>> {
    if (message === undefined || message.type === 'end') return this.#end();
    this.#options.onMessage(message);
    if (message.type === 'open') {
      this.#options.onOpen(message.encoding);
      return { done: false, value: { type: 'open' } };
    }
    if (message.type !== 'batch') return this.next();
    const { slice } = this.#options;
    if (slice.take()) return this.#eventsOf(message.buffer);
    return slice
      .renew()
      .then(() => this.#eventsOf(message.buffer))
      .catch(this.#onError);
  }

  #eventsOf(buffer: ArrayBufferLike): Result<T> {
    const { openReader, onEvents, slice, stream } = this.#options;
    this.#readBatch ??= openReader(stream.epoch);
    const events = this.#events;
    for (const row of this.#readBatch(buffer)) events.push(watchEntry(row));
    onEvents(events);
    slice.pause();
    return { done: false, value: { type: 'events', events } };
  }

  #end(error?: unknown): Result<T> {
    this.#isDone = true;
    this.#options.onEnd(error);
    return DONE;
  }
}

function watchEntry<T extends KubernetesObject>(row: EntryRow<T>): WatchEntry<T> {
  if (row instanceof SlabEntry) throw new Error('an item of a list in a watch: this is a bug in the worker');
  switch (row.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return row;
    case 'bookmark':
      return {
        type: 'BOOKMARK',
        resourceVersion: row.resourceVersion,
        initialEventsEnd: row.initialEventsEnd,
      };
    case 'error':
      return { type: 'ERROR', status: row.status as Status };
    case 'rejected':
      return { type: 'REJECTED', rejected: row };
  }
}
