import type { KubernetesObject } from '../../kube/object.js';
import type { Clock } from '../../util/clock.js';
import { type Slice, sliceSchedulerOf } from '../../util/slice-scheduler.js';
import type {
  ExpectedObject,
  ListerWatcher,
  WatchChunk,
  WatchEntry,
  WatchOptions,
} from '../lister-watcher.js';
import type { ReflectorMetrics } from '../reflector-metrics.js';
import { type Failure, failureOf, stalled } from '../retry/failure.js';
import type { Consumed, EventSink } from './event-sink.js';
import { type Read, SourceReader } from './source-reader.js';

/** The server ends a watch after `timeoutSeconds`. One that lasts this much longer is a dead connection. */
const TIMEOUT_GRACE_MS = 30_000;

export type StreamOutcome =
  | { readonly type: 'progress'; readonly events: number }
  | { readonly type: 'initial-events-end' }
  | { readonly type: 'closed' }
  | { readonly type: 'failed'; readonly failure: Failure; readonly isOpen: boolean }
  | { readonly type: 'aborted' };

interface WatchStreamOptions<T extends KubernetesObject> {
  readonly listerWatcher: ListerWatcher<T>;
  readonly expected: ExpectedObject;
  readonly request: WatchOptions;
  readonly sink: EventSink<T>;
  /**
   * Called while a `read` is pending, when a chunk was consumed that was nothing but progress. If it returns true, this
   * is accounted for, and the same `read` goes on with the next chunk; otherwise `read` returns it.
   */
  readonly onProgress?: (events: number) => boolean;
  /** Maximum silence, until `continueInto`. */
  readonly idleTimeoutMs?: number;
  readonly clock: Clock;
  readonly metrics: ReflectorMetrics | undefined;
  readonly signal: AbortSignal;
}

/** One watch request from its opening to its end. The next chunk is requested only after the last one was consumed. */
export class WatchStream<T extends KubernetesObject> {
  readonly #clock: Clock;
  readonly #slice: Slice;
  readonly #metrics: ReflectorMetrics | undefined;
  readonly #startedAtMs: number;
  readonly #deadlineMs: number;
  readonly #reader: SourceReader<WatchChunk<T>> | undefined;
  readonly #onProgress: (events: number) => boolean;
  #sink: EventSink<T>;
  #idleTimeoutMs: number | undefined;
  #isOpen = false;
  #events = 0;
  /** Events of the last chunk that are still to be consumed. */
  #rest: { readonly events: readonly WatchEntry<T>[]; next: number } | undefined;
  /** Of a chunk that was consumed when it arrived; to be returned by `read`. */
  #outcome: StreamOutcome | undefined;
  /** Found in the middle of a chunk; returned after the progress that was made before it. */
  #failure: Failure | undefined;

  constructor(options: WatchStreamOptions<T>) {
    const { listerWatcher, request, expected, clock, signal } = options;
    this.#clock = clock;
    this.#slice = sliceSchedulerOf(clock).open();
    this.#metrics = options.metrics;
    this.#onProgress = options.onProgress ?? (() => false);
    this.#sink = options.sink;
    this.#idleTimeoutMs = options.idleTimeoutMs;
    this.#startedAtMs = clock.now();
    this.#deadlineMs = this.#startedAtMs + request.timeoutSeconds * 1000 + TIMEOUT_GRACE_MS;
    try {
      this.#reader = new SourceReader<WatchChunk<T>>({
        open: (own) => listerWatcher.watch(request, own, expected),
        clock,
        signal,
        consume: (chunk) => this.#consumeOnArrival(chunk),
      });
    } catch (error) {
      this.#failure = failureOf(error);
    }
  }

  /** The streaming list is complete; the same stream continues as a watch, into the store. */
  continueInto(sink: EventSink<T>): void {
    this.#sink = sink;
    this.#idleTimeoutMs = undefined;
  }

  /** Reads and consumes one chunk, or the rest of the last one. */
  async read(): Promise<StreamOutcome> {
    if (this.#failure !== undefined) return this.#fail(this.#failure);
    if (this.#rest !== undefined) return this.#consume();
    this.#slice.pause();
    let read: Read<WatchChunk<T>>;
    try {
      read = (await this.#reader?.next(this.#dueAtMs())) ?? { type: 'aborted' };
    } catch (error) {
      return this.#fail(failureOf(error));
    }
    switch (read.type) {
      case 'chunk':
        if (this.#outcome !== undefined) return this.#takeOutcome(this.#outcome);
        this.#isOpen = true;
        if (read.chunk.type === 'open') return { type: 'progress', events: 0 };
        this.#rest = { events: read.chunk.events, next: 0 };
        if (!this.#slice.take()) await this.#slice.renew();
        return this.#consume();
      case 'end':
        return { type: 'closed' };
      case 'timeout':
        return { type: 'failed', failure: stalled('the watch went silent'), isOpen: true };
      case 'interrupted':
        return this.read();
      case 'aborted':
        return read;
    }
  }

  /** Ends the stream with this error, unless it has failed already. */
  interrupt(error: Error): void {
    this.#failure ??= { kind: 'resync', error };
    this.#reader?.interrupt();
  }

  close(): void {
    this.#reader?.close();
    this.#metrics?.watchDuration.observe((this.#clock.now() - this.#startedAtMs) / 1000);
    this.#metrics?.numberOfItemsInWatch.observe(this.#events);
  }

  /** Not of a streaming list, whose deadline depends on each chunk. */
  #consumeOnArrival(chunk: WatchChunk<T>): boolean {
    if (chunk.type !== 'events' || this.#idleTimeoutMs !== undefined || !this.#slice.take()) return false;
    this.#isOpen = true;
    this.#rest = { events: chunk.events, next: 0 };
    const outcome = this.#consume();
    this.#slice.pause();
    const isProgress = outcome.type === 'progress' && this.#failure === undefined;
    if (isProgress && this.#onProgress(outcome.events)) return true;
    this.#outcome = outcome;
    return false;
  }

  #takeOutcome(outcome: StreamOutcome): StreamOutcome {
    this.#outcome = undefined;
    return outcome;
  }

  #consume(): StreamOutcome {
    const rest = this.#rest;
    let accepted = 0;
    while (rest !== undefined && rest.next < rest.events.length) {
      const consumed = this.#consumeOne(rest.events[rest.next++]);
      if (consumed === 'skipped') continue;
      if (typeof consumed === 'object') {
        this.#failure = consumed;
        break;
      }
      accepted++;
      if (consumed === 'initial-events-end') {
        this.#events += accepted;
        return { type: 'initial-events-end' };
      }
    }
    this.#rest = undefined;
    this.#events += accepted;
    return { type: 'progress', events: accepted };
  }

  #consumeOne(event: WatchEntry<T> | undefined): Consumed {
    return event === undefined ? 'skipped' : this.#sink.consume(event);
  }

  #fail(failure: Failure): StreamOutcome {
    return { type: 'failed', failure, isOpen: this.#isOpen || failure.kind === 'resync' };
  }

  #dueAtMs(): number {
    if (this.#idleTimeoutMs === undefined) return this.#deadlineMs;
    return Math.min(this.#deadlineMs, this.#clock.now() + this.#idleTimeoutMs);
  }
}
