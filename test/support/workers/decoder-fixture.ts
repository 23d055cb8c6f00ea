import type { OrderedRun } from '#dist/src/wire/cells.js';
import { ObjectReader } from '#dist/src/wire/object-reader.js';
import type { DecodingOptions, Encoding } from '#dist/src/wire/stream-task.js';
import {
  type Decoder,
  isPieceDecoder,
  isRunDecoder,
  type PieceDecoder,
} from '#dist/workers/decode/decoder.js';
import { DecoderFactory, type StreamDecoding } from '#dist/workers/decode/decoder-factory.js';
import type { ListHead } from '#dist/workers/split/item-splitter.js';
import { LineSplitter } from '#dist/workers/split/line-splitter.js';
import { ProtobufFrameSplitter } from '#dist/workers/split/protobuf-frame-splitter.js';
import { contentOf } from './cell-rows.js';
import { taskOf } from './stream-run.js';

export type Content = ReturnType<typeof contentOf>;

export interface WatchDecoding {
  readonly isAlone?: boolean;
  readonly isTogether?: boolean;
  /** Of an event. */
  readonly maxBytes?: number;
}

export interface DecodedWatch {
  readonly rows: readonly Content[];
  readonly runs: readonly OrderedRun[];
  readonly end: 'complete' | 'truncated';
}

/** The decoders of a test file share a factory, as those of a worker thread do. */
const factory = new DecoderFactory();

/** One decoder, and its objects as the main thread would read them. */
export class DecoderFixture {
  readonly #decoding: StreamDecoding;
  readonly #decoder: Decoder;
  readonly #reader: ObjectReader;
  readonly #indexes: number;
  readonly #encoding: Encoding;

  private constructor(decoding: StreamDecoding, decoder: Decoder, indexes: number, encoding: Encoding) {
    this.#encoding = encoding;
    this.#decoding = decoding;
    this.#decoder = decoder;
    this.#indexes = indexes;
    this.#reader = new ObjectReader(decoding.source.tableId);
  }

  static async open(
    name: 'json' | 'simd',
    options: Partial<DecodingOptions> = {},
    depth = 512,
    encoding: Encoding = 'json',
  ): Promise<DecoderFixture> {
    const { decoding, limits } = taskOf({
      path: '/',
      connection: '',
      decoding: { decoder: name, kind: 'Pod', ...options },
      limits: { depth },
    });
    const stream = factory.create({ decoding, limits }, undefined);
    if (stream.decoder !== name) throw new Error(`expected the ${name} decoder, got ${stream.decoder}`);
    const json = await stream.open();
    const decoder = encoding === 'json' ? json : stream.protobuf();
    return new DecoderFixture(stream, decoder, decoding.indexPaths.length, encoding);
  }

  close(): void {
    this.#decoding.close();
  }

  beginList(head: ListHead): void {
    this.#decoder.beginList(head);
  }

  /** Strings and bytes are passed on unchanged, anything else as JSON. */
  decodeItem(item: unknown): Content {
    return contentOf(this.#decoder.decodeItem(bytesOf(item)), this.#indexes);
  }

  decodeEvent(event: unknown): Content {
    return contentOf(this.#decoder.decodeEvent(bytesOf(event)), this.#indexes);
  }

  event(type: unknown, object: unknown): Content {
    return this.decodeEvent({ type, object });
  }

  /**
   * The rows of a watch whose body arrives in these chunks, all but the last with `hasMore` if they arrive together;
   * decoded in runs if the decoder can, unless each is decoded alone.
   */
  decodeWatch(chunks: readonly Uint8Array[], options: WatchDecoding = {}): DecodedWatch {
    const { isAlone = false, isTogether = false, maxBytes = 1 << 20 } = options;
    const watch: { rows: Content[]; runs: OrderedRun[]; end?: 'complete' | 'truncated' } = {
      rows: [],
      runs: [],
    };
    const sink = {
      onDocument: (bytes: Uint8Array) => void watch.rows.push(this.decodeEvent(bytes)),
      onOversized: (head: Uint8Array, bytes: number) =>
        void watch.rows.push({
          type: 'rejected',
          reason: 'undecodable',
          message: `${bytes} bytes: ${Buffer.from(head).toString('latin1')}`,
        }),
    };
    const onRun = (run: OrderedRun): void => {
      const { cells, offset, byteLength } = run;
      watch.runs.push(run);
      for (let at = offset; at < offset + byteLength; at += cells.byteLengthAt(at))
        watch.rows.push(contentOf({ cells, offset: at }, this.#indexes));
    };
    const decoder = this.#decoder;
    const runs = !isAlone && isRunDecoder(decoder) ? { decoder, onRun } : undefined;
    const splitter = new (this.#encoding === 'json' ? LineSplitter : ProtobufFrameSplitter)(
      maxBytes,
      sink,
      runs,
    );
    for (const [i, chunk] of chunks.entries()) splitter.write(chunk, isTogether && i < chunks.length - 1);
    return { ...watch, end: splitter.end() };
  }

  /** How many documents the reference decoder had to read so far. */
  get delegated(): number {
    return 'delegated' in this.#decoder ? (this.#decoder.delegated as number) : 0;
  }

  get unknownFields(): number {
    return this.#decoding.unknownFields.count;
  }

  get pieces(): PieceDecoder {
    if (!isPieceDecoder(this.#decoder)) throw new Error('expected a PieceDecoder');
    return this.#decoder;
  }

  objectOf(content: Content): unknown {
    if (!('payload' in content)) throw new Error(JSON.stringify(content));
    const { definitions } = this.#decoding.source;
    this.#reader.extend(this.#reader.size, definitions.slice(this.#reader.size));
    return this.#reader.read(content.payload, 0, content.payload.length);
  }
}

export function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}
