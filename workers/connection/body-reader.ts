import type { Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import type { Encoding } from '../../src/wire/stream-task.js';
import { protocolFailure, type StreamFailure, truncated } from '../stream-failure.js';

/** Read ahead of whoever reads, so that the socket does not wait for the decoder; then the socket is paused. */
const AHEAD_BYTES = 256 * 1024;

/** As large as what a socket gives at once. Node's 16 KiB would be four times as many turns. */
const INFLATED_CHUNK_BYTES = 64 * 1024;

/** A small body may be as compressible as it likes. */
const FREE_INFLATED_BYTES = 10 * 1024 * 1024;

export interface BodyReaderOptions {
  readonly encoding: 'identity' | 'gzip';
  /** What the body is written in. @default 'json' */
  readonly contents?: Encoding;
  /** Inflated to compressed bytes, above which the body is taken for a bomb. */
  readonly gzipRatio: number;
  /** Called once, when nothing more will be read from the source. */
  readonly onDone: (failure?: StreamFailure) => void;
}

/**
 * The body of an answer, inflated, to be pulled piece by piece. Not pulling it pauses the socket. What had arrived
 * before a failure is given first: events of a watch are good up to the byte at which it was cut.
 */
export class BodyReader {
  readonly #stream: Readable;
  readonly #options: BodyReaderOptions;
  readonly #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #inflatedBytes = 0;
  #waiting:
    | { resolve(chunk: Uint8Array | undefined): void; reject(failure: StreamFailure): void }
    | undefined;
  #isDone = false;
  #failure: StreamFailure | undefined;

  constructor(source: Readable, options: BodyReaderOptions) {
    this.#options = options;
    source.on('error', () => this.fail(truncated('the connection was closed in the middle of the answer')));
    this.#stream = options.encoding === 'gzip' ? this.#inflate(source) : source;
    this.#stream.on('data', (chunk: Buffer) => this.#push(chunk));
    this.#stream.on('end', () => this.#finish());
  }

  get contents(): Encoding {
    return this.#options.contents ?? 'json';
  }

  get heldBytes(): number {
    return this.#queuedBytes;
  }

  /** The next piece, undefined after the last. Rejects with a `StreamFailure`. One call at a time. */
  read(): Promise<Uint8Array | undefined> {
    const chunk = this.#queue.shift();
    if (chunk !== undefined) {
      this.#queuedBytes -= chunk.length;
      if (this.#queuedBytes < AHEAD_BYTES && this.#stream.isPaused()) this.#stream.resume();
      return Promise.resolve(chunk);
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isDone) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Nothing more is taken from the source. Does nothing after the end. */
  fail(failure: StreamFailure): void {
    if (this.#isDone) return;
    this.#failure = failure;
    this.#finish();
  }

  #push(chunk: Uint8Array): void {
    if (this.#isDone) return;
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    if (this.#queuedBytes >= AHEAD_BYTES) this.#stream.pause();
    // Not at once: what else has arrived comes in the same turn of the event loop, and is decoded together.
    if (this.#waiting !== undefined && this.#queue.length === 1) setImmediate(() => this.#wake());
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.read().then(waiting.resolve, waiting.reject);
  }

  #finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    if (this.#queue.length === 0) this.#wake();
    this.#options.onDone(this.#failure);
  }

  #inflate(source: Readable): Gunzip {
    // Inflates member after member: a server that flushes between events begins a new one each time.
    const gunzip = createGunzip({ chunkSize: INFLATED_CHUNK_BYTES });
    gunzip.on('error', (error: NodeJS.ErrnoException) => {
      const isShort = error.code === 'Z_BUF_ERROR';
      this.fail(
        isShort
          ? truncated('the gzip stream ended too early')
          : protocolFailure('the answer is not valid gzip'),
      );
    });
    gunzip.on('data', (chunk: Buffer) => {
      this.#inflatedBytes += chunk.length;
      const isOverRatio = this.#inflatedBytes > gunzip.bytesWritten * this.#options.gzipRatio;
      if (this.#inflatedBytes <= FREE_INFLATED_BYTES || !isOverRatio) return;
      this.fail(protocolFailure(`the gzip stream inflates more than ${this.#options.gzipRatio} times`));
    });
    // What follows the last member is not ours to judge, but it has to be read for the socket to be used again.
    gunzip.on('end', () => source.resume());
    return source.pipe(gunzip);
  }
}
