import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { Clock } from '../util/clock.js';
import { type KubeflectError, WorkerError } from '../util/errors.js';
import { batchBytes } from '../wire/batch.js';
import { returnCredit } from '../wire/credit-counter.js';
import { fingerprintOf, newMarker } from '../wire/fingerprint.js';
import type { FromWorker, StreamPort, ToWorker } from '../wire/messages.js';
import { errorFromWire } from './error-from-wire.js';

/**
 * The ports of a dying thread close before its exit event arrives, which says why it died and keeps new streams from
 * being placed on it. So long is waited for that event.
 */
const EXIT_EVENT_TIMEOUT_MS = 100;

/** A message that a stream yields. A failure is thrown instead. */
export type StreamMessage = Exclude<FromWorker, { type: 'failed' }>;

/** The main thread's end of a channel. */
export interface LocalPort extends StreamPort {
  /** Receives the oldest message that has arrived and was not emitted as an event yet. */
  take(): FromWorker | undefined;
}

/** The two ends of one stream's channel. `remote` is transferred to the thread. */
export interface StreamChannel {
  readonly local: LocalPort;
  readonly remote: StreamPort;
}

/** A `MessageChannel`: works between threads, and within one. */
export function openStreamChannel(): StreamChannel {
  const { port1, port2 } = new MessageChannel();
  const take = (): FromWorker | undefined => receiveMessageOnPort(port1)?.message;
  return { local: Object.assign(port1, { take }), remote: port2 };
}

export interface StreamHandleOptions {
  readonly epoch: number;
  readonly port: LocalPort;
  readonly clock: Clock;
  /** Index of the worker that runs the stream. */
  readonly worker: number;
  /** Called when a message arrives, before it is read by `next`. */
  readonly onArrival?: (message: StreamMessage) => void;
  /** Called once, when nothing more will come. */
  readonly onClose: (handle: StreamHandle) => void;
}

/**
 * The main thread's end of one stream. Messages are pulled; the call of `next` after a batch returns the worker's
 * credit, so batches in flight are bounded by the credits of the task.
 *
 * A stream ends in exactly one of three ways: `end` and then undefined; an error; undefined after `stop`. Messages
 * that arrived before an error are yielded first.
 */
export class StreamHandle {
  readonly epoch: number;
  readonly worker: number;
  /** Memory shared with the worker: see `fingerprint` and credit-counter.ts. */
  readonly marker: Int32Array = newMarker();
  readonly #port: LocalPort;
  readonly #onArrival: (message: StreamMessage) => void;
  readonly #onClose: (handle: StreamHandle) => void;
  readonly #queue: StreamMessage[] = [];
  #waiting: { resolve(message: StreamMessage | undefined): void; reject(error: Error): void } | undefined;
  /** The last batch was yielded, and its credit is not returned yet. */
  #owesCredit = false;
  #nextSequence = 0;
  #dropped = 0;
  #receivedBytes = 0;
  #isClosed = false;
  /** A closed port has no messages, and `take` in its `close` listener is a segmentation fault in Node 20. */
  #isPortClosed = false;
  /** Why it closed; undefined after `end` and `stop`. */
  #failure: Error | undefined;

  constructor(options: StreamHandleOptions) {
    this.epoch = options.epoch;
    this.worker = options.worker;
    this.#port = options.port;
    this.#onArrival = options.onArrival ?? (() => {});
    this.#onClose = options.onClose;
    this.#port.on('message', (message) => this.#receive(message as FromWorker));
    this.#port.on('messageerror', (cause) => this.lose('sent a message that cannot be deserialized', cause));
    this.#port.on('close', () => {
      this.#isPortClosed = true;
      if (this.#isClosed) return;
      options.clock.schedule(
        () => this.lose('closed a stream without an end message'),
        EXIT_EVENT_TIMEOUT_MS,
      );
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Batches that were late or repeated, and were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Of the document that the worker is decoding, if it is. */
  get fingerprint(): string | undefined {
    return fingerprintOf(this.marker);
  }

  /** The next message. A call must settle before the next one is made. */
  next(): Promise<StreamMessage | undefined> {
    if (this.#owesCredit) {
      this.#owesCredit = false;
      this.#returnCredit();
    }
    const message = this.#queue.shift();
    if (message !== undefined) return Promise.resolve(this.#give(message));
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Drops messages that have arrived, and resolves a pending `next` with undefined. Idempotent. */
  stop(): void {
    if (!this.#isClosed) {
      this.#post({ type: 'stop' });
      this.#close();
    }
    this.#queue.length = 0;
    this.#failure = undefined;
    this.#wake();
  }

  /** The worker died, or ended this stream without an end message. Does nothing once the stream has ended. */
  lose(what: string, cause?: unknown): void {
    // Called for every stream of a thread: the error, with its stack, is made only for one that is still open.
    if (!this.#isOpenAfterDrain()) return;
    const details = cause === undefined ? { worker: this.worker } : { worker: this.worker, cause };
    this.fail(new WorkerError('KUBEFLECT_WORKER_LOST', `worker ${this.worker} ${what}`, details));
  }

  fail(error: KubeflectError): void {
    if (!this.#isOpenAfterDrain()) return;
    this.#failure = error;
    this.#close();
    this.#wake();
  }

  /** Messages that the worker had posted may hold the end of the stream. */
  #isOpenAfterDrain(): boolean {
    if (!this.#isClosed) this.#drain();
    return !this.#isClosed;
  }

  /** Receives what a dead worker had posted. */
  #drain(): void {
    while (!this.#isPortClosed) {
      const message = this.#port.take();
      if (message === undefined || this.#isClosed) return;
      this.#receive(message);
    }
  }

  #receive(message: FromWorker): void {
    if (this.#isClosed) return;
    if (message.type === 'failed') {
      this.#failure = errorFromWire(message.error);
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
      this.#returnCredit();
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

  #returnCredit(): void {
    if (returnCredit(this.marker)) this.#post({ type: 'credit', batches: 1 });
  }

  /** Posting to a port whose other end is closed does nothing. */
  #post(message: ToWorker): void {
    if (!this.#isClosed) this.#port.postMessage(message);
  }

  #close(): void {
    this.#isClosed = true;
    this.#port.close();
    this.#onClose(this);
  }
}
