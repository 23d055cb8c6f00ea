import { type Clock, systemClock } from '../../src/util/clock.js';
import { BatchWriter, isShared } from '../../src/wire/batch.js';
import type { CellRun, OrderedRun } from '../../src/wire/cells.js';
import { CreditCounter } from '../../src/wire/credit-counter.js';
import type { DefinitionSource } from '../../src/wire/definitions.js';
import type { FromWorker } from '../../src/wire/messages.js';
import type { ScratchBuffers } from '../../src/wire/scratch-buffers.js';
import type { StreamTask } from '../../src/wire/stream-task.js';
import type { Decoded } from '../decode/decoder.js';
import { Coalescer } from './coalescer.js';

export interface BatchSenderOptions {
  readonly task: Pick<StreamTask, 'verb' | 'path' | 'epoch' | 'credits' | 'limits' | 'known'>;
  /** The definitions that the payloads of the rows refer to. */
  readonly source: DefinitionSource;
  readonly scratch: ScratchBuffers;
  readonly post: (message: FromWorker, transfer: readonly ArrayBuffer[]) => void;
  /** Memory shared with the main thread, which counts credits there; without it, every credit is a message. */
  readonly memory?: Int32Array | undefined;
  readonly clock?: Clock;
}

/**
 * A batch of a watch that is not full leaves while fewer than this many are in flight. One is being applied and the
 * next has arrived; more would be many small messages, each of which costs the main thread as much as several events.
 */
const PARTIAL_IN_FLIGHT = 2;

/**
 * An incomplete list is not used, so its batches leave when they are full. While it arrives slowly, one leaves after
 * this time, to show that the list makes progress.
 */
const LIST_PROGRESS_MS = 100;

/**
 * Collects rows into batches, which are posted to the main thread, each for one credit. Nothing waits for a timer:
 *
 * - A full batch leaves at once.
 * - What one read of the socket brought to a watch leaves at the end of the read (`endRead`), unless the main thread
 *   still has batches to apply. Then rows are collected, and leave when a credit returns. So batches are as large as
 *   the main thread is busy.
 *
 * Without a credit, a list has to stop reading (`isBlocked`), because its rows are all different. A watch continues to
 * read, because servers close watches that do not; what comes after a full batch is merged by key until a credit
 * arrives.
 */
export class BatchSender {
  readonly #options: BatchSenderOptions;
  readonly #writer: BatchWriter;
  /** Undefined for lists. Its rows are newer than those in the writer. */
  readonly #coalescer: Coalescer | undefined;
  readonly #clock: Clock;
  readonly #counter: CreditCounter | undefined;
  #credits: number;
  #sequence = 0;
  #postedAtMs: number;
  #isFlushing = false;
  #isClosed = false;
  #waiting: (() => void) | undefined;

  constructor(options: BatchSenderOptions) {
    const { task, source, scratch } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#writer = new BatchWriter(source, { known: task.known, scratch });
    this.#coalescer = task.verb === 'watch' ? coalescerOf(task.path) : undefined;
    this.#credits = task.credits;
    this.#counter = options.memory && new CreditCounter(options.memory);
    this.#postedAtMs = this.#clock.now();
  }

  /** A list has to wait for `whenUnblocked` before it continues to read. */
  get isBlocked(): boolean {
    return this.#isFull && this.#credits === 0 && !this.#isClosed && !this.#takeCredits();
  }

  get heldBytes(): number {
    return this.#writer.bytes + (this.#coalescer?.heldBytes ?? 0);
  }

  /** Copies what it needs. */
  add(row: Decoded): void {
    if (this.#isClosed) return;
    const coalescer = this.#coalescer;
    if (coalescer !== undefined && (this.isBlocked || !coalescer.isEmpty)) {
      coalescer.add(row);
      return;
    }
    if (coalescer?.passes(row) === false) return;
    this.#writer.add(row);
    if (this.#isFull) this.#send();
  }

  /** The same for the items of a list. */
  addRun(run: CellRun): void {
    if (this.#isClosed) return;
    this.#writer.addRun(run);
    if (this.#isFull) this.#send();
  }

  /** The same for the events of a watch: at once if all of them can be sent, otherwise one by one. */
  addEvents(run: OrderedRun): void {
    const coalescer = this.#coalescer;
    const isHeld = this.isBlocked || coalescer?.isEmpty === false;
    if (
      !isHeld &&
      run.byteLength <= this.#options.task.limits.batchBytes &&
      coalescer?.passesRun(run) !== false
    ) {
      this.addRun(run);
      return;
    }
    const { cells } = run;
    const end = run.offset + run.byteLength;
    for (let offset = run.offset; offset < end; offset += cells.byteLengthAt(offset))
      this.add({ cells, offset });
  }

  /**
   * Objects that are not sent are known up to this version of a watch. Ignored while the events are not in the order of
   * their versions.
   */
  advance(resourceVersion: string): void {
    if (this.#coalescer?.isOrdered !== true) return;
    this.add({ type: 'bookmark', resourceVersion, initialEventsEnd: false });
    this.endRead();
  }

  /** Everything that has arrived is added, or the event loop gets a turn before the rest is. */
  endRead(): void {
    if (this.#writer.rows > 0) this.#send();
  }

  /** A message of the main thread. */
  credit(batches: number): void {
    if (this.#counter === undefined) this.#credits += batches;
    this.#send();
  }

  /** Resolves on `close` too. Only one of `whenUnblocked` and `flush` may be pending. */
  async whenUnblocked(): Promise<void> {
    while (this.isBlocked) await this.#change();
  }

  /** Resolves when everything is posted, which may require credits. */
  async flush(): Promise<void> {
    this.#isFlushing = true;
    this.#send();
    while (!this.#isEmpty && !this.#isClosed) await this.#change();
  }

  /** Posts as much as the credits allow; true if nothing is left. */
  tryFlush(): boolean {
    this.#send(true);
    return this.#isEmpty;
  }

  /** Drops what is held, and resolves what is pending. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  get #isFull(): boolean {
    return this.#writer.rows > 0 && this.#writer.bytes >= this.#options.task.limits.batchBytes;
  }

  get #isEmpty(): boolean {
    return this.#writer.rows === 0 && (this.#coalescer?.isEmpty ?? true);
  }

  /** Posts full batches, and then the rest if it may leave or has to, as far as the credits allow. */
  #send(isFlushing = this.#isFlushing): void {
    if (this.#isClosed) return;
    this.#takeCredits();
    do {
      this.#refill();
      while (
        this.#credits > 0 &&
        this.#writer.rows > 0 &&
        (isFlushing || this.#isFull || this.#isPartialDue)
      ) {
        this.#post();
        this.#refill();
      }
    } while (this.#awaitCredits());
    this.#wake();
  }

  /** True if credits were returned. */
  #takeCredits(): boolean {
    const credits = this.#counter?.take() ?? 0;
    this.#credits += credits;
    return credits > 0;
  }

  /** Requests messages while rows are held back; true if credits were returned before that took effect. */
  #awaitCredits(): boolean {
    if (this.#counter === undefined) return false;
    const isHeldBack = !this.#isEmpty && this.#credits < this.#options.task.credits;
    this.#counter.isQuiet = !isHeldBack;
    return isHeldBack && this.#takeCredits();
  }

  get #isPartialDue(): boolean {
    if (this.#coalescer?.isListing ?? true) {
      return this.#clock.now() - this.#postedAtMs >= LIST_PROGRESS_MS;
    }
    return this.#options.task.credits - this.#credits < PARTIAL_IN_FLIGHT;
  }

  /** Rows of the coalescer are older than those that are still to be read. */
  #refill(): void {
    const coalescer = this.#coalescer;
    while (coalescer !== undefined && !this.#isFull) {
      const row = coalescer.take();
      if (row === undefined) return;
      this.#writer.add(row);
    }
  }

  #post(): void {
    const { epoch } = this.#options.task;
    const sequence = this.#sequence++;
    const buffer = this.#writer.finish(epoch, sequence);
    this.#credits--;
    this.#postedAtMs = this.#clock.now();
    this.#options.post({ type: 'batch', epoch, sequence, buffer }, isShared(buffer) ? [] : [buffer]);
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }
}

function coalescerOf(path: string): Coalescer {
  const query = new URLSearchParams(path.slice(path.indexOf('?') + 1));
  const version = query.get('resourceVersion') ?? '';
  const isStreamingList = query.get('sendInitialEvents') === 'true';
  // The initial events of a watch are not ordered by version.
  const isInitial = version === '' || version === '0' || isStreamingList;
  return new Coalescer(isInitial ? undefined : version, isStreamingList);
}
