import { type Clock, systemClock } from '../src/util/clock.js';
import { type Slice, SliceScheduler, WORKER_SLICE_MS } from '../src/util/slice-scheduler.js';
import { type CellRun, Scratch } from '../src/wire/cells.js';
import type { FromWorker, ToWorker, WireError } from '../src/wire/messages.js';
import type { StreamTask } from '../src/wire/stream-task.js';
import { Outbox } from './batch/batch-sender.js';
import type { BodyReader } from './connection/body-reader.js';
import { Connections } from './connection/connection.js';
import type { Decoder } from './decode/decoder.js';
import { Decoders, isPieceDecoder, type StreamDecoding } from './decode/decoder-factory.js';
import { readProtobufHead } from './decode/protobuf/read-protobuf-head.js';
import { isRecord, rejectUnread } from './decode/rejected-object.js';
import { LineSplitter } from './split/line-splitter.js';
import { type ListHead, ListSplitter } from './split/list-splitter.js';
import { PieceSplitter } from './split/piece-splitter.js';
import { FrameSplitter } from './split/protobuf-frame-splitter.js';
import { EnvelopeSplitter } from './split/protobuf-list-splitter.js';
import { SplitError } from './split/split-error.js';
import { protocolFailure, StreamFailure, truncated } from './stream-failure.js';

/** The worker's end of a stream's port, or something like it. */
export interface SessionPort {
  post(message: FromWorker, transfer: readonly ArrayBuffer[]): void;
  onMessage(handler: (message: ToWorker) => void): void;
  /** The other end is gone: the same as `stop`. */
  onClose(handler: () => void): void;
}

export interface StreamEnvironmentOptions {
  readonly clock?: Clock;
  readonly connections?: Connections;
  readonly decoders?: Decoders;
}

/** A batch of the default size, and what its last rows and its definitions mostly go beyond it. */
const SCRATCH_BYTES = 448 * 1024;

/** What the streams of one thread share. */
export class StreamEnvironment {
  readonly clock: Clock;
  readonly connections: Connections;
  readonly decoders: Decoders;
  /** Shared by all streams: the thread has one event loop. */
  readonly slice: Slice;
  readonly scratch: Scratch = new Scratch(SCRATCH_BYTES);
  readonly sessions: Set<StreamSession> = new Set();

  constructor(options: StreamEnvironmentOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.connections = options.connections ?? new Connections();
    this.decoders = options.decoders ?? new Decoders();
    const scheduler = new SliceScheduler({
      clock: this.clock,
      sliceMs: WORKER_SLICE_MS,
      itemsPerSlice: Number.POSITIVE_INFINITY,
    });
    this.slice = scheduler.open();
  }

  get heldBytes(): number {
    let bytes = 0;
    for (const session of this.sessions) bytes += session.heldBytes;
    return bytes;
  }
}

/** A piece that takes longer to decode is too large for a slice of `WORKER_SLICE_MS`: a slow hook, or very small objects. */
const LONG_PIECE_MS = 8;
const SHORT_PIECE_MS = 2;
const MIN_PIECE_BYTES = 1024;
const MAX_PIECE_BYTES = 256 * 1024;

/**
 * Runs one `StreamTask`: connection → splitter → decoder → outbox. Says `end` or `failed` exactly once and last, unless
 * it is stopped; then it says nothing more.
 */
export class StreamSession {
  readonly #task: StreamTask;
  readonly #port: SessionPort;
  readonly #environment: StreamEnvironment;
  readonly #decoding: StreamDecoding;
  readonly #outbox: Outbox;
  readonly #abort = new AbortController();
  #pieceBytes: number;
  #toldUnknownFields = 0;
  #body: BodyReader | undefined;
  #splitter: { readonly heldBytes: number } | undefined;

  /** `marker` is where to say what is being worked on; see src/wire/fingerprint.ts. */
  constructor(task: StreamTask, port: SessionPort, environment: StreamEnvironment, marker?: Int32Array) {
    this.#task = task;
    this.#port = port;
    this.#environment = environment;
    // Nobody knows how slow a hook is.
    this.#pieceBytes = task.decoding.hooks === undefined ? MAX_PIECE_BYTES : MIN_PIECE_BYTES;
    this.#decoding = environment.decoders.of(task, marker);
    this.#outbox = new Outbox({
      task,
      source: this.#decoding.source,
      scratch: environment.scratch,
      post: (message, transfer) => port.post(message, transfer),
      clock: environment.clock,
    });
    port.onMessage((message) => {
      if (message.type === 'stop') this.stop();
      else this.#outbox.credit(message.batches);
    });
    port.onClose(() => this.stop());
  }

  /** Bytes that wait in buffers of this stream. */
  get heldBytes(): number {
    return this.#outbox.heldBytes + (this.#body?.heldBytes ?? 0) + (this.#splitter?.heldBytes ?? 0);
  }

  /** Idempotent. Destroys the socket. */
  stop(): void {
    this.#abort.abort();
    this.#outbox.close();
  }

  /** The thread is about to die: what can be sent of a watch need not be read again, and cannot kill the next one. */
  sayLastWords(): void {
    if (this.#task.verb === 'watch') void this.#outbox.flush();
  }

  /** Resolves when the stream is over, however it ended. Rejects only for what is a bug. */
  async run(): Promise<void> {
    const { sessions } = this.#environment;
    sessions.add(this);
    try {
      const decoder = await this.#decoding.open();
      const end = this.#task.verb === 'list' ? await this.#list(decoder) : await this.#watch(decoder);
      await this.#outbox.flush();
      this.#post(end);
    } catch (error) {
      if (this.#isStopped) return;
      const wire = wireErrorOf(error);
      // Events are good up to where the watch failed. Half a list is of no use to anybody.
      if (this.#task.verb === 'watch') await this.#outbox.flush();
      this.#post({ type: 'failed', error: wire });
    } finally {
      sessions.delete(this);
      this.#decoding.close();
      this.stop();
    }
  }

  get #isStopped(): boolean {
    return this.#abort.signal.aborted;
  }

  async #list(json: Decoder): Promise<FromWorker> {
    const { objectBytes } = this.#task.limits;
    const body = await this.#connect();
    const isProtobuf = body.contents === 'protobuf';
    const decoder = isProtobuf ? this.#decoding.protobuf() : json;
    const sink = {
      onItems: (head: ListHead): void => {
        decoder.beginList(head);
        if (head.metadata !== undefined) this.#post({ type: 'begin', ...pageOf(head) });
      },
      onItem: (bytes: Uint8Array, depth: number) => this.#outbox.add(decoder.decodeItem(bytes, depth)),
      onRun: (run: CellRun) => this.#outbox.addRun(run),
      onOversized: (head: Uint8Array) => this.#addOversized(head, 'item'),
    };
    const splitter = isProtobuf
      ? new EnvelopeSplitter(objectBytes, sink)
      : isPieceDecoder(decoder)
        ? new PieceSplitter(objectBytes, decoder, sink)
        : new ListSplitter(objectBytes, sink);
    await this.#pump(body, splitter);
    if (this.#isStopped) return NOTHING;
    const head = splitter.end();
    const { remainingItemCount } = isRecord(head.metadata) ? head.metadata : {};
    const isCounted = typeof remainingItemCount === 'number';
    return { type: 'end', ...pageOf(head), ...(isCounted && { remainingItemCount }) };
  }

  async #watch(json: Decoder): Promise<FromWorker> {
    const { objectBytes } = this.#task.limits;
    const body = await this.#connect();
    const isProtobuf = body.contents === 'protobuf';
    const decoder = isProtobuf ? this.#decoding.protobuf() : json;
    const sink = {
      onDocument: (bytes: Uint8Array) => this.#outbox.add(decoder.decodeEvent(bytes)),
      onOversized: (head: Uint8Array) => this.#addOversized(head, 'event'),
    };
    const splitter = isProtobuf ? new FrameSplitter(objectBytes, sink) : new LineSplitter(objectBytes, sink);
    await this.#pump(body, splitter);
    if (!this.#isStopped && splitter.end() === 'truncated') {
      throw truncated('the watch ended in the middle of an event');
    }
    return NOTHING;
  }

  #addOversized(head: Uint8Array, document: 'item' | 'event'): void {
    const message = `the object is larger than ${this.#task.limits.objectBytes} bytes`;
    const read = this.#body?.contents === 'protobuf' ? readProtobufHead : undefined;
    this.#outbox.add(rejectUnread(message, head, document, read));
  }

  async #connect(): Promise<BodyReader> {
    const body = await this.#environment.connections.open(this.#task, this.#abort.signal);
    this.#body = body;
    this.#post({ type: 'open', decoder: this.#decoding.decoder, encoding: body.contents });
    return body;
  }

  /** From the socket into the splitter, piece by piece, until the end of the body or `stop`. */
  async #pump(body: BodyReader, splitter: Splitter): Promise<void> {
    const { slice } = this.#environment;
    this.#splitter = splitter;
    for (;;) {
      const chunk = await body.read();
      if (chunk === undefined) return;
      for (let start = 0; start < chunk.length; ) {
        if (this.#isStopped) return;
        const end = Math.min(chunk.length, start + this.#pieceBytes);
        this.#write(splitter, chunk.subarray(start, end), end < chunk.length || body.heldBytes > 0);
        start = end;
        if (this.#task.verb === 'list' && this.#outbox.isBlocked) await this.#outbox.whenUnblocked();
        if (!slice.take()) await slice.renew();
      }
    }
  }

  /** Pieces get smaller while they take long: nothing else runs on this thread during one. */
  #write(splitter: Splitter, piece: Uint8Array, isMoreThere: boolean): void {
    const { source } = this.#decoding;
    if (source.isStale && this.#outbox.tryFlush()) source.renew();
    const { clock } = this.#environment;
    const beforeMs = clock.now();
    splitter.write(piece, isMoreThere);
    const tookMs = clock.now() - beforeMs;
    this.#tellUnknownFields();
    if (tookMs > LONG_PIECE_MS) this.#pieceBytes = Math.max(MIN_PIECE_BYTES, piece.length >> 1);
    else if (tookMs < SHORT_PIECE_MS) this.#pieceBytes = Math.min(MAX_PIECE_BYTES, this.#pieceBytes * 2);
  }

  #tellUnknownFields(): void {
    const count = this.#decoding.unknownFields - this.#toldUnknownFields;
    if (count === 0) return;
    this.#toldUnknownFields += count;
    this.#post({ type: 'unknown-fields', count });
  }

  #post(message: FromWorker): void {
    if (!this.#isStopped) this.#port.post(message, []);
  }
}

interface Splitter {
  readonly heldBytes: number;
  /** `isMoreThere`: the next piece has arrived already. */
  write(piece: Uint8Array, isMoreThere: boolean): unknown;
}

/** The end of a watch; also stands for that of a list that was stopped, which nobody hears. */
const NOTHING: FromWorker = { type: 'end', resourceVersion: '', continue: '' };

function pageOf({ metadata }: ListHead): { resourceVersion: string; continue: string } {
  const { resourceVersion, continue: token } = isRecord(metadata) ? metadata : {};
  return {
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    continue: typeof token === 'string' ? token : '',
  };
}

/** Anything else is a bug, and the thread's owner is told. */
function wireErrorOf(error: unknown): WireError {
  if (error instanceof StreamFailure) return error.wire;
  if (!(error instanceof SplitError)) throw error;
  return (error.isTruncated ? truncated(error.message) : protocolFailure(error.message)).wire;
}
