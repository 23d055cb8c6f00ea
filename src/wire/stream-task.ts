import type { HashRange } from '../kube/sharding/hash-range.js';
import type { ConnectionSettings } from './connection-settings.js';

/**
 * The task of a worker: one page of a list, or one watch. The worker opens the connection, decodes, and posts batches
 * to its port.
 */
export interface StreamTask {
  /**
   * The epoch of the stream's handle. Every batch carries it, so that late batches of an earlier attempt are
   * recognized.
   */
  readonly epoch: number;
  readonly verb: 'list' | 'watch';
  readonly connection: ConnectionSettings;
  /** Path and query, e.g. `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** The accepted encodings of the response, preferred first. @default JSON only */
  readonly encodings?: readonly Encoding[];
  /**
   * What a protobuf field without a schema leads to. `fail`: the stream fails before the object that has it. `count`:
   * the field is left out and counted. @default count
   */
  readonly onUnknownField?: 'fail' | 'count';
  readonly decoding: DecodingOptions;
  readonly limits: StreamLimits;
  /** Fingerprints of documents on which threads have died repeatedly. They are rejected without decoding. */
  readonly quarantine?: readonly string[];
  /** How many definitions the main thread has, by the table's id: see KnownTables. @default none */
  readonly known?: Readonly<Record<string, number>>;
  /** How many batches may be posted before the first credit is returned. */
  readonly credits: number;
}

/** The encoding of objects in responses of the API server. */
export type Encoding = 'protobuf' | 'json';

/** See workers/decode/decoder-factory.ts. */
export type DecoderName = 'auto' | 'simd' | 'json';

export interface DecodingOptions {
  /** `auto`: `simd` where the platform and the other options allow it, else `json`. */
  readonly decoder: DecoderName;
  /** The expected type of every object. Items of typed lists get both from the list's kind. */
  readonly apiVersion: string;
  /** Empty for any. */
  readonly kind: string;
  /** `metadata` requests PartialObjectMetadata; apiVersion and kind remain those of the watched objects. */
  readonly form: 'object' | 'metadata';
  /**
   * Objects whose uids have hashes outside of these ranges are dropped before they are decoded, whatever the server was
   * asked for. @default all objects are decoded
   */
  readonly ranges?: readonly HashRange[];
  /** Paths that are removed from objects in the worker. */
  readonly drop: readonly string[];
  /** The paths of index values, or `CONTROLLER_UID_PATH`, in the order of the values in a cell. */
  readonly indexPaths: readonly string[];
  /** URL of the user's hooks module: see workers/decode/hooks.ts. Its index functions come after the paths. */
  readonly hooks?: string;
  /** Names of the index functions of the hooks module to call. */
  readonly hookIndexes: readonly string[];
}

export interface StreamLimits {
  /**
   * Maximum size of one object on the wire. Larger ones are skipped, and reported by key if it can be read. @default
   * 16 MiB
   */
  readonly objectBytes: number;
  /**
   * Maximum nesting of one object. The main thread must be able to read what a worker, with four times its stack,
   * wrote: it reads 2,000 levels.
   * @default 500
   */
  readonly depth: number;
  /** A batch that reaches about this size is sent, whatever follows. @default 256 KiB */
  readonly batchBytes: number;
  /** Timeout of opening a connection, handshakes included. @default 10_000 */
  readonly connectMs: number;
  /** From the request to the end of a list's body. @default 600_000 */
  readonly listMs: number;
  /**
   * After a watch has been silent for this long, `/livez` is requested, once for all watches of a thread … @default
   * 15_000
   */
  readonly probeAfterMs: number;
  /** … and without a response within this time, the watches that are still silent are closed. @default 10_000 */
  readonly probeMs: number;
  /** A watch on which nothing at all arrived for this long is closed, whatever `/livez` answers. @default 180_000 */
  readonly watchStallMs: number;
  /**
   * Maximum ratio of inflated to compressed bytes, after the first 10 MiB, against decompression bombs. @default 200
   */
  readonly gzipRatio: number;
}
