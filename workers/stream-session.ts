import { isRecord } from '../src/kube/object.js';
import { type Clock, systemClock } from '../src/util/clock.js';
import { freeBuffer } from '../src/util/free-buffer.js';
import { type Slice, SliceScheduler, WORKER_SLICE_MS } from '../src/util/slice-scheduler.js';
import type { CellRun, OrderedRun } from '../src/wire/cells.js';
import type { FromWorker, ToWorker, WireError } from '../src/wire/messages.js';
import { ScratchBuffers } from '../src/wire/scratch-buffers.js';
import type { StreamTask } from '../src/wire/stream-task.js';
import { BatchSender } from './batch/batch-sender.js';
import type { BodyReader } from './connection/body-reader.js';
import { HttpClient } from './connection/http-client.js';
import { type Decoded, type Decoder, isPieceDecoder, isRunDecoder } from './decode/decoder.js';
import { DecoderFactory, type StreamDecoding } from './decode/decoder-factory.js';
import { readProtobufIdentity } from './decode/protobuf/document-identity.js';
import { rejectUnparsed } from './decode/rejected-object.js';
import { ShardProgress } from './shard-progress.js';
import { type ListHead, SplitError } from './split/item-splitter.js';
import { LineSplitter } from './split/line-splitter.js';
import { ListSplitter } from './split/list-splitter.js';
import { PieceSplitter } from './split/piece-splitter.js';
import { ProtobufFrameSplitter } from './split/protobuf-frame-splitter.js';
import { ProtobufListSplitter } from './split/protobuf-list-splitter.js';
import { protocolFailure, StreamFailure, truncated } from './stream-failure.js';

/** The worker's side of a stream's message port; a simulation has its own. */
export interface SessionPort {
  post(message: FromWorker, transfer: readonly ArrayBuffer[]): void;
  onMessage(handler: (message: ToWorker) => void): void;
  /** The main thread closed its side: the same as `stop`. */
  onClose(handler: () => void): void;
}

export interface StreamEnvironmentOptions {
  readonly clock?: Clock;
  readonly httpClient?: HttpClient;
  readonly decoderFactory?: DecoderFactory;
}

/** A batch of the default size, plus what its last rows and its definitions usually add. */
const SCRATCH_BYTES = 448 * 1024;

/** Shared by the streams of one thread. */
export class StreamEnvironment {
  readonly clock: Clock;
  readonly httpClient: HttpClient;
  readonly decoderFactory: DecoderFactory;
  /** Shared by all streams: the thread has one event loop. */
  readonly slices: SliceScheduler;
  readonly scratch: ScratchBuffers = new ScratchBuffers(SCRATCH_BYTES);
  readonly sessions: Set<StreamSession> = new Set();

  constructor(options: StreamEnvironmentOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.httpClient = options.httpClient ?? new HttpClient();
    this.decoderFactory = options.decoderFactory ?? new DecoderFactory();
    this.slices = new SliceScheduler({
      clock: this.clock,
      sliceMs: WORKER_SLICE_MS,
      itemsPerSlice: Number.POSITIVE_INFINITY,
    });
  }

  get heldBytes(): number {
    let bytes = 0;
    for (const session of this.sessions) bytes += session.heldBytes;
    return bytes;
  }
}

/**
 * A piece that takes longer to decode exceeds a slice of `WORKER_SLICE_MS`: the hook is slow, or the objects are very
 * small.
 */
const LONG_PIECE_MS = 8;
const SHORT_PIECE_MS = 2;
const MIN_PIECE_BYTES = 1024;
const MAX_PIECE_BYTES = 256 * 1024;

/**
 * Runs one `StreamTask`: connection → splitter → decoder → batch sender. Posts `end` or `failed` exactly once, as the
 * last message; after `stop` it posts nothing more.
 */
export class StreamSession {
  readonly #task: StreamTask;
  readonly #port: SessionPort;
  readonly #environment: StreamEnvironment;
  readonly #decoding: StreamDecoding;
  readonly #batchSender: BatchSender;
  readonly #abort = new AbortController();
  #pieceBytes: number;
  #reportedUnknownFields = 0;
  readonly #shards: ShardProgress | undefined;
  #body: BodyReader | undefined;
  #splitter: { readonly heldBytes: number } | undefined;

  /** `marker` is shared with the main thread; see src/wire/fingerprint.ts and credit-counter.ts. */
  constructor(task: StreamTask, port: SessionPort, environment: StreamEnvironment, marker?: Int32Array) {
    this.#task = task;
    this.#port = port;
    this.#environment = environment;
    // Hooks may be slow, so their streams start with small pieces.
    this.#pieceBytes = task.decoding.hooks === undefined ? MAX_PIECE_BYTES : MIN_PIECE_BYTES;
    this.#decoding = environment.decoderFactory.create(task, marker);
    this.#batchSender = new BatchSender({
      task,
      source: this.#decoding.source,
      scratch: environment.scratch,
      post: (message, transfer) => port.post(message, transfer),
      memory: marker,
      clock: environment.clock,
    });
    const { filter } = this.#decoding;
    this.#shards =
      filter &&
      new ShardProgress({
        filter,
        clock: environment.clock,
        onDropped: (objects) => this.#post({ type: 'dropped', objects }),
        onVersion: (version) => this.#batchSender.advance(version),
      });
    port.onMessage((message) => {
      if (message.type === 'stop') this.stop();
      else this.#batchSender.credit(message.batches);
    });
    port.onClose(() => this.stop());
  }

  /** Bytes in the buffers of this stream. */
  get heldBytes(): number {
    return this.#batchSender.heldBytes + (this.#body?.heldBytes ?? 0) + (this.#splitter?.heldBytes ?? 0);
  }

  /** Idempotent. Destroys the socket. */
  stop(): void {
    this.#abort.abort();
    this.#batchSender.close();
  }

  /** See worker-exit.ts. */
  flushBeforeExit(): void {
    if (this.#task.verb === 'watch') void this.#batchSender.flush();
  }

  /** Resolves when the stream has ended, for whatever reason. Rejects only because of a bug. */
  async run(): Promise<void> {
    const { sessions } = this.#environment;
    sessions.add(this);
    try {
      const decoder = await this.#decoding.open();
      const end = this.#task.verb === 'list' ? await this.#list(decoder) : await this.#watch(decoder);
      this.#shards?.report();
      await this.#batchSender.flush();
      this.#post(end);
    } catch (error) {
      if (this.#isStopped) return;
      const wire = wireErrorOf(error);
      this.#reportUnknownFields();
      this.#shards?.report();
      // Events are valid up to where the watch failed. An incomplete list is useless.
      if (this.#task.verb === 'watch') await this.#batchSender.flush();
      this.#post({ type: 'failed', error: wire });
    } finally {
      sessions.delete(this);
      this.#shards?.stop();
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
    const isProtobuf = body.encoding === 'protobuf';
    const decoder = isProtobuf ? this.#decoding.protobuf() : json;
    const sink = {
      onItems: (head: ListHead): void => {
        decoder.beginList(head);
        if (head.metadata !== undefined) this.#post({ type: 'begin', ...pageOf(head) });
      },
      onItem: (bytes: Uint8Array, depth: number) =>
        this.#take(bytes, 'item', () => decoder.decodeItem(bytes, depth)),
      onRun: (run: CellRun) => this.#batchSender.addRun(run),
      onOversized: (head: Uint8Array) => this.#addOversized(head, 'item'),
    };
    const splitter = isProtobuf
      ? new ProtobufListSplitter(objectBytes, sink, this.#decoding.unknownFields)
      : isPieceDecoder(decoder)
        ? new PieceSplitter(objectBytes, decoder, sink)
        : new ListSplitter(objectBytes, sink);
    await this.#pump(body, splitter);
    if (this.#isStopped) return END_OF_WATCH;
    const head = splitter.end();
    const { remainingItemCount } = isRecord(head.metadata) ? head.metadata : {};
    const isCounted = typeof remainingItemCount === 'number';
    return { type: 'end', ...pageOf(head), ...(isCounted && { remainingItemCount }) };
  }

  async #watch(json: Decoder): Promise<FromWorker> {
    const { objectBytes } = this.#task.limits;
    const body = await this.#connect();
    const isProtobuf = body.encoding === 'protobuf';
    const decoder = isProtobuf ? this.#decoding.protobuf() : json;
    const sink = {
      onDocument: (bytes: Uint8Array) => this.#take(bytes, 'event', () => decoder.decodeEvent(bytes)),
      onOversized: (head: Uint8Array) => this.#addOversized(head, 'event'),
    };
    const onRun = (run: OrderedRun): void => this.#batchSender.addEvents(run);
    const runs = isRunDecoder(decoder) ? { decoder, onRun } : undefined;
    const splitter = isProtobuf
      ? new ProtobufFrameSplitter(objectBytes, sink, runs)
      : new LineSplitter(objectBytes, sink, runs);
    await this.#pump(body, splitter);
    if (!this.#isStopped && splitter.end() === 'truncated') {
      throw truncated('the watch ended in the middle of an event');
    }
    return END_OF_WATCH;
  }

  /** Decodes one document and adds its row, unless it is of another shard. */
  #take(bytes: Uint8Array, document: 'item' | 'event', decode: () => Decoded): void {
    if (this.#drops(bytes, document)) return;
    const row = decode();
    if (this.#decoding.filter?.dropsDecoded(row) !== true) this.#batchSender.add(row);
  }

  #drops(bytes: Uint8Array, document: 'item' | 'event'): boolean {
    return this.#decoding.filter?.drops(bytes, document, this.#body?.encoding === 'protobuf') ?? false;
  }

  #addOversized(head: Uint8Array, document: 'item' | 'event'): void {
    if (this.#drops(head, document)) return;
    const message = `the object is larger than ${this.#task.limits.objectBytes} bytes`;
    const read = this.#body?.encoding === 'protobuf' ? readProtobufIdentity : undefined;
    this.#batchSender.add(rejectUnparsed(message, head, document, read));
  }

  async #connect(): Promise<BodyReader> {
    const body = await this.#environment.httpClient.open(
      this.#task,
      this.#abort.signal,
      this.#decoding.unknownFields,
    );
    this.#body = body;
    const { encoding, admittedBy } = body;
    this.#post({ type: 'open', decoder: this.#decoding.decoder, encoding, admittedBy });
    return body;
  }

  /** Passes the body to the splitter, piece by piece, until its end or `stop`. */
  async #pump(body: BodyReader, splitter: Splitter): Promise<void> {
    const slice = this.#environment.slices.open();
    this.#splitter = splitter;
    if (this.#task.verb === 'watch') body.consumeWith((bytes) => this.#consume(bytes, splitter, slice));
    /** The splitter may hold the last of them. */
    const chunks: Uint8Array[] = [];
    for (;;) {
      let chunk = body.take();
      if (chunk === undefined) {
        slice.pause();
        chunk = await body.read();
      }
      if (chunk === undefined) return;
      for (let start = 0; start < chunk.length; ) {
        if (!slice.take()) {
          this.#batchSender.endRead();
          await slice.renew();
        }
        if (this.#isStopped) return;
        const end = Math.min(chunk.length, start + this.#pieceBytes);
        this.#write(splitter, chunk.subarray(start, end), end < chunk.length || body.heldBytes > 0);
        start = end;
        if (start === chunk.length && body.heldBytes === 0) this.#batchSender.endRead();
        if (this.#task.verb === 'list' && this.#batchSender.isBlocked) {
          slice.pause();
          await this.#batchSender.whenUnblocked();
        }
      }
      chunks.push(chunk);
      while (chunks.length > splitter.heldChunks) freeChunk(chunks.shift());
    }
  }

  /** What arrives while the pump waits is decoded at once, if it is one piece. False: the pump has to read it. */
  #consume(bytes: Uint8Array, splitter: Splitter, slice: Slice): boolean {
    if (this.#isStopped || bytes.length > this.#pieceBytes || !slice.take()) return false;
    this.#write(splitter, bytes, false);
    this.#batchSender.endRead();
    slice.pause();
    return true;
  }

  /** Pieces get smaller while they take long: nothing else runs on this thread meanwhile. */
  #write(splitter: Splitter, piece: Uint8Array, hasMore: boolean): void {
    const { source } = this.#decoding;
    if (source.isStale && this.#batchSender.tryFlush()) source.renew();
    const { clock } = this.#environment;
    const beforeMs = clock.now();
    splitter.write(piece, hasMore);
    const tookMs = clock.now() - beforeMs;
    this.#reportUnknownFields();
    this.#shards?.read();
    if (tookMs > LONG_PIECE_MS) this.#pieceBytes = Math.max(MIN_PIECE_BYTES, piece.length >> 1);
    else if (tookMs < SHORT_PIECE_MS) this.#pieceBytes = Math.min(MAX_PIECE_BYTES, this.#pieceBytes * 2);
  }

  #reportUnknownFields(): void {
    const { count: total, first } = this.#decoding.unknownFields;
    const count = total - this.#reportedUnknownFields;
    if (count === 0) return;
    const isFirst = this.#reportedUnknownFields === 0 && first !== undefined;
    this.#reportedUnknownFields = total;
    this.#post({ type: 'unknown-fields', count, ...(isFirst && { first }) });
  }

  #post(message: FromWorker): void {
    if (!this.#isStopped) this.#port.post(message, []);
  }
}

interface Splitter {
  readonly heldBytes: number;
  /** How many of the last pieces are still referenced. */
  readonly heldChunks: number;
  /** `hasMore`: the next piece has already arrived. */
  write(piece: Uint8Array, hasMore: boolean): unknown;
}

/** The end of a watch; also of a list that was stopped, where it is not posted. */
const END_OF_WATCH: FromWorker = { type: 'end', resourceVersion: '', continue: '' };

function pageOf({ metadata }: ListHead): {
  resourceVersion: string;
  continue: string;
  shardSelector?: string;
} {
  const { resourceVersion, continue: token, shardInfo } = isRecord(metadata) ? metadata : {};
  const { selector } = isRecord(shardInfo) ? shardInfo : {};
  return {
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    continue: typeof token === 'string' ? token : '',
    ...(typeof selector === 'string' && { shardSelector: selector }),
  };
}

/** Unless the chunk is a view of something larger. */
function freeChunk(chunk: Uint8Array | undefined): void {
  if (chunk?.buffer instanceof ArrayBuffer && chunk.buffer.byteLength === chunk.byteLength)
    freeBuffer(chunk.buffer);
}

/** Rethrows anything else: it is a bug, which the pool reports. */
function wireErrorOf(error: unknown): WireError {
  if (error instanceof StreamFailure) return error.wire;
  if (!(error instanceof SplitError)) throw error;
  return (error.isTruncated ? truncated(error.message) : protocolFailure(error.message)).wire;
}
