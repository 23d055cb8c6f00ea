import { type Clock, systemClock } from '../../src/util/clock.js';
import { BatchWriter, isShared } from '../../src/wire/batch.js';
import type { CellRun } from '../../src/wire/cells.js';
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
  readonly clock?: Clock;
}

/** An incomplete list is not used, so its batches may wait until they are full. */
const LIST_DELAY_MS = 100;

/**
 * Collects rows into batches, which are posted to the main thread when they are full or have waited long enough, each
 * for one credit.
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
  readonly #delayMs: number;
  #credits: number;
  #sequence = 0;
  /** The batch has waited long enough, or nothing more will be added to it. */
  #isDue = false;
  #isFlushing = false;
  #isClosed = false;
  readonly #clock: Clock;
  #timer: { cancel(): void } | undefined;
  #waiting: (() => void) | undefined;

  constructor(options: BatchSenderOptions) {
    const { task, source, scratch } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#writer = new BatchWriter(source, { known: task.known, scratch });
    this.#coalescer = task.verb === 'watch' ? coalescerOf(task.path) : undefined;
    const { batchDelayMs } = task.limits;
    this.#delayMs = task.verb === 'list' ? Math.max(batchDelayMs, LIST_DELAY_MS) : batchDelayMs;
    this.#credits = task.credits;
  }

  /** A list has to wait for `whenUnblocked` before it continues to read. */
  get isBlocked(): boolean {
    return this.#isFull && this.#credits === 0 && !this.#isClosed;
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
    this.#sendOrWait();
  }

  /** The same for the items of a list. */
  addRun(run: CellRun): void {
    if (this.#isClosed) return;
    this.#writer.addRun(run);
    this.#sendOrWait();
  }

  credit(batches: number): void {
    this.#credits += batches;
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
    if (this.#writer.rows > 0) this.#isDue = true;
    this.#send();
    return this.#isEmpty;
  }

  /** Drops what is held, and resolves what is pending. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#wake();
  }

  get #isFull(): boolean {
    return this.#writer.rows > 0 && this.#writer.bytes >= this.#options.task.limits.batchBytes;
  }

  get #isEmpty(): boolean {
    return this.#writer.rows === 0 && (this.#coalescer?.isEmpty ?? true);
  }

  /** Posts the batches that are due, as far as the credits allow. */
  #send(): void {
    if (this.#isClosed) return;
    this.#refill();
    while (this.#credits > 0 && this.#writer.rows > 0 && (this.#isFull || this.#isDue || this.#isFlushing)) {
      this.#post();
      this.#refill();
    }
    this.#wake();
  }

  #sendOrWait(): void {
    if (this.#isFull) this.#send();
    else this.#timer ??= this.#clock.schedule(this.#onDelay, this.#delayMs);
  }

  /** Rows of the coalescer have already waited, so their batch is due. */
  #refill(): void {
    const coalescer = this.#coalescer;
    while (coalescer !== undefined && !this.#isFull) {
      const row = coalescer.take();
      if (row === undefined) return;
      this.#writer.add(row);
      this.#isDue = true;
    }
  }

  #post(): void {
    const { epoch } = this.#options.task;
    const sequence = this.#sequence++;
    const buffer = this.#writer.finish(epoch, sequence);
    this.#credits--;
    this.#isDue = false;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#options.post({ type: 'batch', epoch, sequence, buffer }, isShared(buffer) ? [] : [buffer]);
  }

  readonly #onDelay = (): void => {
    this.#isDue = true;
    this.#send();
  };

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
