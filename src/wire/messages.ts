import type { UnknownField } from '../kube/protobuf-schema/unknown-field.js';
import type { Encoding, StreamTask } from './stream-task.js';

/**
 * The messages between the main thread and a worker, over the port of one stream: a union per direction.
 *
 *     main                                   worker
 *      │  StreamTask, port, marker ────────────▶ │  (piscina task)
 *      │ ◀───────────────────────────── open     │  the server responded with 200; the encoding and the decoder
 *      │ ◀───────────────────────────── begin    │  typed lists only: the list's metadata came before the items
 *      │ ◀───────────────────────────── batch    │  at most `credits` without a credit in return
 *      │  credit ──────────────────────────────▶ │  only while the worker waits for one: see credit-counter.ts
 *      │ ◀───────────────────────────── end      │  list: complete; watch: closed cleanly   ┐ exactly one of
 *      │ ◀───────────────────────────── failed   │                                          ┘ these two, last
 *      │  stop ────────────────────────────────▶ │  at any time; no message follows
 */

/**
 * The argument of the piscina task `runStream` (workers/main.ts), which resolves when the stream has ended. `port` is
 * in the transfer list. The first task of a thread is `startThread`, with the memory of its heartbeat.
 */
export interface StreamRequest {
  readonly task: StreamTask;
  readonly port: StreamPort;
  /** The fingerprint of the document that the stream is decoding: see src/wire/fingerprint.ts. */
  readonly marker?: Int32Array;
}

/**
 * One end of a stream's channel: a `MessagePort` or a substitute. Posting to a port whose other end is closed does
 * nothing.
 */
export interface StreamPort {
  postMessage(message: FromWorker | ToWorker, transfer?: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'messageerror', listener: (error: Error) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  close(): void;
}

export type FromWorker =
  | {
      readonly type: 'open';
      readonly decoder: 'simd' | 'json';
      readonly encoding: Encoding;
      /**
       * The UIDs of the flow schema and the priority level by which the API server admitted the request, if it names them; empty strings
       * from a server that has just started and does not know them yet.
       */
      readonly admittedBy: readonly string[];
    }
  /** Fields of a newer server that were left out, since the last such message; `first` in the stream's first one. */
  | { readonly type: 'unknown-fields'; readonly count: number; readonly first?: UnknownField }
  /** Objects of other shards that were dropped since the last such message; at most one message a second. */
  | { readonly type: 'dropped'; readonly objects: number }
  | ({ readonly type: 'begin'; readonly resourceVersion: string; readonly continue: string } & ShardEcho)
  /** The layout is drawn in batch.ts. `sequence` counts from 0 within an epoch. */
  | {
      readonly type: 'batch';
      readonly epoch: number;
      readonly sequence: number;
      readonly buffer: ArrayBufferLike;
    }
  | ({
      readonly type: 'end';
      /** The list's; empty for a watch. */
      readonly resourceVersion: string;
      readonly continue: string;
      readonly remainingItemCount?: number;
    } & ShardEcho)
  | { readonly type: 'failed'; readonly error: WireError };

interface ShardEcho {
  /** `metadata.shardInfo.selector` of a list: the server has applied the selector of the request. */
  readonly shardSelector?: string;
}

export type ToWorker = { readonly type: 'credit'; readonly batches: number } | { readonly type: 'stop' };

/**
 * An error as plain data, from which the main thread creates an `ApiStatusError`, a `TransportError` or another
 * `KubeflectError`. Contains no credentials and no object data.
 */
export type WireError =
  | { readonly type: 'status'; readonly status: WireStatus; readonly retryAfterMs?: number }
  | { readonly type: 'transport'; readonly errno: string; readonly message: string }
  | { readonly type: 'protocol'; readonly message: string }
  /** The response has a field of a newer server: see `StreamTask.onUnknownField`. */
  | { readonly type: 'unknown-field'; readonly field: UnknownField }
  | { readonly type: 'hooks'; readonly message: string; readonly stack?: string };

/** A `v1 Status`, or a substitute when the response was plain text. */
export type WireStatus = Readonly<Record<string, unknown>> & { readonly code: number };

/**
 * Slots of the heartbeat of a worker thread, an Int32Array in shared memory. The worker increments this one regularly
 * from its event loop; the main thread reads it. If it stops, the thread's event loop is blocked.
 */
export const HEARTBEAT_TICKS = 0;
/** Memory that the worker holds in ArrayBuffers, in KiB; as of the last tick. */
export const HEARTBEAT_HELD_KIB = 1;
/** Milliseconds between two ticks, set by the main thread before the thread starts. 0 means 100. */
export const HEARTBEAT_INTERVAL_MS = 2;
export const HEARTBEAT_SLOTS = 3;
