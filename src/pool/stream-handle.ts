import type { Clock } from '../util/clock.js';
import { type KubeflectError, WorkerError } from '../util/errors.js';
import { batchBytes } from '../wire/batch.js';
import { fingerprintOf, newMarker } from '../wire/fingerprint.js';
import type { FromWorker, StreamPort, ToWorker } from '../wire/messages.js';
import { errorOfWire } from './wire-error.js';

/** A dying thread's ports close before it is known to be dead; then it is said why, and nothing more is placed on it. */
const DEATH_NEWS_MS = 100;

/** What a stream yields. A failure is thrown. */
export type StreamMessage = Exclude<FromWorker, { type: 'failed' }>;

/** The main thread's end of a channel. */
export interface NearPort extends StreamPort {
  /** The oldest message that has arrived and was not given to a listener. */
  take(): FromWorker | undefined;
}

export interface StreamHandleOptions {
  readonly epoch: number;
  /** Ours. The other end is on its way to the worker. */
  readonly port: NearPort;
  readonly clock: Clock;
  /** Which thread runs it. */
  readonly worker: number;
  /** Called when a message arrives, before anybody asks for it. */
  readonly onArrival?: (message: StreamMessage) => void;
  /** Called once, when nothing more will come. */
  readonly onClose: (handle: StreamHandle) => void;
}

/**
 * The main thread's end of one stream. Messages are pulled; asking for the next one after a batch gives the worker its credit
 * back, so what is in flight is bounded by the credits of the task.
 *
 * Exactly one of: `end` and then undefined; an error; undefined after `stop`. What had arrived before an error is given first.
 */
export class StreamHandle {
  readonly epoch: number;
  readonly worker: number;
  /** Shared with the worker. */
  readonly marker: Int32Array = newMarker();
  readonly #port: NearPort;
  readonly #onArrival: (message: StreamMessage) => void;
  readonly #onClose: (handle: StreamHandle) => void;
  readonly #queue: StreamMessage[] = [];
  #waiting: { resolve(message: StreamMessage | undefined): void; reject(error: Error): void } | undefined;
  /** The batch given out last is still being worked on. */
  #owesCredit = false;
  #nextSequence = 0;
  #dropped = 0;
  #receivedBytes = 0;
  #isClosed = false;
  /** Then it has nothing more to give, and asking it ends the process: `take` in a `close` listener is a segmentation fault in Node 20. */
  #isPortGone = false;
  /** Why it closed; undefined after `end` and `stop`. */
  #failure: Error | undefined;

  constructor(options: StreamHandleOptions) {
    this.epoch = options.epoch;
    this.worker = options.worker;
    this.#port = options.port;
    this.#onArrival = options.onArrival ?? (() => {});
    this.#onClose = options.onClose;
    this.#port.on('message', (message) => this.#receive(message as FromWorker));
    this.#port.on('messageerror', (cause) => this.lose('sent what cannot be read', cause));
    this.#port.on('close', () => {
      this.#isPortGone = true;
      if (this.#isClosed) return;
      options.clock.schedule(() => this.lose('closed the stream without a word'), DEATH_NEWS_MS);
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Batches that were late or came twice, and were not given out. */
  get dropped(): number {
    return this.#dropped;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** The document that the worker is working on; undefined if it is not. */
  get fingerprint(): string | undefined {
    return fingerprintOf(this.marker);
  }

  /** One at a time: the last call must have settled. */
  next(): Promise<StreamMessage | undefined> {
    if (this.#owesCredit) {
      this.#owesCredit = false;
      this.#post({ type: 'credit', batches: 1 });
    }
    const message = this.#queue.shift();
    if (message !== undefined) return Promise.resolve(this.#give(message));
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Idempotent. Whatever had arrived is dropped, and a pending `next` is told that it is over. */
  stop(): void {
    if (!this.#isClosed) {
      this.#post({ type: 'stop' });
      this.#close();
    }
    this.#queue.length = 0;
    this.#failure = undefined;
    this.#wake();
  }

  /** The worker is gone, or has ended this stream without saying so. Does nothing after the stream's own end. */
  lose(what: string, cause?: unknown): void {
    // Said of every stream in the end: no error, with its stack, is made for one whose own end was on its way.
    if (!this.#isLeft()) return;
    const details = cause === undefined ? { worker: this.worker } : { worker: this.worker, cause };
    this.fail(new WorkerError('KUBEFLECT_WORKER_LOST', `worker ${this.worker} ${what}`, details));
  }

  fail(error: KubeflectError): void {
    if (!this.#isLeft()) return;
    this.#failure = error;
    this.#close();
    this.#wake();
  }

  /** Still open, after everything that had been posted. */
  #isLeft(): boolean {
    if (!this.#isClosed) this.#drain();
    return !this.#isClosed;
  }

  /** What a dead worker had posted is still there. */
  #drain(): void {
    while (!this.#isPortGone) {
      const message = this.#port.take();
      if (message === undefined || this.#isClosed) return;
      this.#receive(message);
    }
  }

  #receive(message: FromWorker): void {
    if (this.#isClosed) return;
    if (message.type === 'failed') {
      this.#failure = errorOfWire(message.error);
      this.#close();
      this.#wake();
      return;
    }
    if (message.type === 'batch' && !this.#accept(message)) return;
    this.#queue.push(message);
    if (message.type === 'end') this.#close();
    this.#onArrival(message);
    this.#wake();
  }

  #accept({ epoch, sequence, buffer }: Extract<FromWorker, { type: 'batch' }>): boolean {
    if (epoch !== this.epoch || sequence < this.#nextSequence) {
      this.#dropped++;
      this.#post({ type: 'credit', batches: 1 });
      return false;
    }
    if (sequence > this.#nextSequence) {
      this.lose(`skipped batch ${this.#nextSequence} of a stream`);
      return false;
    }
    this.#nextSequence++;
    this.#receivedBytes += batchBytes(buffer);
    return true;
  }

  #wake(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const message = this.#queue.shift();
    if (message === undefined && !this.#isClosed) return;
    this.#waiting = undefined;
    if (message !== undefined) waiting.resolve(this.#give(message));
    else if (this.#failure !== undefined) waiting.reject(this.#failure);
    else waiting.resolve(undefined);
  }

  #give(message: StreamMessage): StreamMessage {
    this.#owesCredit = message.type === 'batch';
    return message;
  }

  /** Posting to a port whose other end is gone does nothing. */
  #post(message: ToWorker): void {
    if (!this.#isClosed) this.#port.postMessage(message);
  }

  #close(): void {
    this.#isClosed = true;
    this.#port.close();
    this.#onClose(this);
  }
}
