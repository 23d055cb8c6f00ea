import type { Readable } from 'node:stream';
import type { Encoding } from '../../src/wire/stream-task.js';
import { type StreamFailure, truncated } from '../stream-failure.js';
import { decompress } from './gzip.js';
import type { ReadAhead } from './read-ahead.js';

/** Read ahead, so that the socket does not wait for the decoder; beyond this the socket is paused. */
const READ_AHEAD_BYTES = 256 * 1024;

/** A response. */
export interface BodySource extends Readable {
  readonly socket: { pause(): unknown; resume(): unknown };
}

export interface BodyReaderOptions {
  readonly contentEncoding: 'identity' | 'gzip';
  /** How objects are encoded in the body. @default 'json' */
  readonly encoding?: Encoding;
  /** See the message `open`. @default none */
  readonly admittedBy?: readonly string[];
  /** The largest ratio of decompressed to compressed bytes that is accepted. */
  readonly gzipRatio: number;
  /** Shared by the bodies of a thread. */
  readonly readAhead: ReadAhead;
  /** Called once, when nothing more will be read from the source. */
  readonly onDone: (failure?: StreamFailure) => void;
}

/**
 * The decompressed body of a response, to be pulled chunk by chunk. Not pulling it pauses the socket. What arrived
 * before a failure is delivered first: the events of a watch are valid up to the byte at which it was cut.
 */
export class BodyReader {
  readonly #source: BodySource;
  readonly #stream: Readable;
  readonly #options: BodyReaderOptions;
  readonly #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #waiting: { resolve(chunk: Uint8Array | undefined): void; reject(cause: unknown): void } | undefined;
  #consume: ((bytes: Uint8Array) => boolean) | undefined;
  #isDone = false;
  #failure: StreamFailure | undefined;

  constructor(source: BodySource, options: BodyReaderOptions) {
    this.#source = source;
    this.#options = options;
    source.on('error', () => this.fail(truncated('the connection was closed in the middle of the response')));
    this.#stream =
      options.contentEncoding === 'gzip'
        ? decompress(source, options.gzipRatio, (failure) => this.fail(failure))
        : source;
    this.#stream.on('data', (chunk: Buffer) => this.#push(chunk));
    this.#stream.on('end', () => this.#finish());
  }

  get encoding(): Encoding {
    return this.#options.encoding ?? 'json';
  }

  get admittedBy(): readonly string[] {
    return this.#options.admittedBy ?? [];
  }

  get heldBytes(): number {
    return this.#queuedBytes;
  }

  /** The next chunk, if it has arrived. */
  take(): Uint8Array | undefined {
    const chunk = this.#queue.shift();
    if (chunk === undefined) return undefined;
    this.#count(-chunk.length);
    if (!this.#isFull && this.#stream.isPaused()) this.#resume();
    return chunk;
  }

  /** The next chunk, undefined after the last. Rejects with a `StreamFailure`. One call at a time. */
  read(): Promise<Uint8Array | undefined> {
    const chunk = this.take();
    if (chunk !== undefined) return Promise.resolve(chunk);
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isDone) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /**
   * What arrives while `read` waits is passed to `consume`, if it arrives by `receive`: so it need not be copied, and
   * nothing waits for a promise. Borrowed. False: it is to be read. What `consume` throws, `read` rejects with.
   */
  consumeWith(consume: (bytes: Uint8Array) => boolean): void {
    this.#consume = consume;
  }

  /** What a read of the socket brought, past the source. Borrowed. */
  receive(bytes: Uint8Array): void {
    if (this.#isDone) return;
    const waiting = this.#waiting;
    if (waiting !== undefined && this.#consume !== undefined) {
      try {
        if (this.#consume(bytes)) return;
      } catch (error) {
        this.#waiting = undefined;
        waiting.reject(error);
        return;
      }
    }
    this.#enqueue(new Uint8Array(bytes));
    this.#wake();
  }

  /** Nothing more is taken from the source. Does nothing after the end. */
  fail(failure: StreamFailure): void {
    if (this.#isDone) return;
    this.#failure = failure;
    this.#finish();
  }

  /** Never while nothing is queued, so that every body makes progress. */
  get #isFull(): boolean {
    return (
      this.#queuedBytes >= READ_AHEAD_BYTES || (this.#queuedBytes > 0 && this.#options.readAhead.isExhausted)
    );
  }

  /** What remains in the queue of a body that is done does not count: it may never be read. */
  #count(bytes: number): void {
    this.#queuedBytes += bytes;
    if (!this.#isDone) this.#options.readAhead.add(bytes);
  }

  #push(chunk: Uint8Array): void {
    if (this.#isDone) return;
    this.#enqueue(chunk);
    // After the chunks of the same read of the socket, each of which is an event, and before the next read.
    if (this.#waiting !== undefined && this.#queue.length === 1) process.nextTick(this.#onReadEnd);
  }

  #enqueue(chunk: Uint8Array): void {
    this.#queue.push(chunk);
    this.#count(chunk.length);
    if (this.#isFull) this.#pause();
  }

  /** The socket too: a response that is paused would let it read once more. */
  #pause(): void {
    this.#stream.pause();
    this.#source.socket.pause();
  }

  #resume(): void {
    this.#stream.resume();
    // After its end, another request may use the socket.
    if (!this.#isDone) this.#source.socket.resume();
  }

  readonly #onReadEnd = (): void => this.#wake();

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.read().then(waiting.resolve, waiting.reject);
  }

  #finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#options.readAhead.add(-this.#queuedBytes);
    if (this.#queue.length === 0) this.#wake();
    this.#options.onDone(this.#failure);
  }
}
