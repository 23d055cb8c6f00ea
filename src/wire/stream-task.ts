import type { ConnectionSettings } from './connection-settings.js';

/** What a worker is told to do: one page of a list, or one watch. It opens the socket itself, decodes, and sends batches over its port. */
export interface StreamTask {
  /** Of the stream's handle; every batch carries it, so that late ones of an earlier attempt can be told apart. */
  readonly epoch: number;
  readonly verb: 'list' | 'watch';
  readonly connection: ConnectionSettings;
  /** Path and query, e.g. `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** What the answer may be written in, best first. @default JSON only */
  readonly encodings?: readonly Encoding[];
  readonly decoding: DecodingOptions;
  readonly limits: StreamLimits;
  /** Fingerprints of documents on which threads have died, again and again. They are rejected unread. */
  readonly quarantine?: readonly string[];
  /** How many definitions the main thread has of which table: see KnownTables. @default none */
  readonly known?: Readonly<Record<string, number>>;
  /** How many batches may be on their way before the first credit comes back. */
  readonly credits: number;
}

/** How objects are written on the wire. */
export type Encoding = 'protobuf' | 'json';

/** See workers/decoders.ts. */
export type DecoderName = 'auto' | 'simd' | 'json';

export interface DecodingOptions {
  /** `auto`: `simd`, where the thread and what is asked for allow it. */
  readonly decoder: DecoderName;
  /** What every object must be. Items of typed lists get both from the list's own kind. */
  readonly apiVersion: string;
  /** Empty: any. */
  readonly kind: string;
  /** `metadata` asks for PartialObjectMetadata; apiVersion and kind then stay those of the watched objects. */
  readonly form: 'object' | 'metadata';
  /** Paths that never leave the worker. */
  readonly drop: readonly string[];
  /** Index values by path, in the order in which headers carry them. */
  readonly indexPaths: readonly string[];
  /** Address of a module of the user's: see workers/hooks.ts. Its index functions come after the paths. */
  readonly hooks?: string;
  /** Names of the index functions wanted from the hooks module. */
  readonly hookIndexes: readonly string[];
}

export interface StreamLimits {
  /** Maximum size of one object on the wire. Larger ones are skipped, and reported by key if it can be read. @default 16 MiB */
  readonly objectBytes: number;
  /**
   * Maximum nesting of one object. The main thread must be able to read what a worker, with four times its stack,
   * wrote: it reads 2,000 levels.
   * @default 500
   */
  readonly depth: number;
  /** A batch is closed at about this size … @default 256 KiB */
  readonly batchBytes: number;
  /** … or when its first entry has waited this long. @default 5 */
  readonly batchDelayMs: number;
  /** Timeout of opening a connection, handshakes included. @default 10_000 */
  readonly connectMs: number;
  /** From the request to the end of a list's body. @default 600_000 */
  readonly listMs: number;
  /** After a watch has been silent for this long, `/livez` is requested, once for all watches of a thread … @default 15_000 */
  readonly probeAfterMs: number;
  /** … and without a response within this time, the watches that are still silent are closed. @default 10_000 */
  readonly probeMs: number;
  /** A watch on which nothing at all arrived for this long is closed, whatever `/livez` answers. @default 180_000 */
  readonly watchStallMs: number;
  /** Maximum ratio of inflated to compressed bytes, after the first 10 MiB, against decompression bombs. @default 200 */
  readonly gzipRatio: number;
}
