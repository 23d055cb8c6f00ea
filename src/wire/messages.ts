import type { Encoding, StreamTask } from './stream-task.js';

/**
 * What travels between the main thread and a worker over the port of one stream. Two unions, one per direction.
 *
 *     main                                   worker
 *      │  StreamTask, port, heartbeat ─────────▶ │  (piscina task)
 *      │ ◀───────────────────────────── open     │  the server answered 200; what it is written in, and what decodes it
 *      │ ◀───────────────────────────── begin    │  typed lists only: metadata stood before the items
 *      │ ◀───────────────────── batch (transfer) │  at most `credits` unanswered
 *      │  credit ──────────────────────────────▶ │
 *      │ ◀───────────────────────────── end      │  list: complete; watch: closed cleanly   ┐ exactly one of
 *      │ ◀───────────────────────────── failed   │                                          ┘ these two, last
 *      │  stop ────────────────────────────────▶ │  at any time; answered by nothing more
 */

/**
 * The argument of `runStream` in workers/main.ts, which is the piscina task; resolves when the stream is over. `port` is in the
 * transfer list. Before the first stream, a thread is given `startThread(heartbeat)`: resolves when the heart beats.
 */
export interface StreamRequest {
  readonly task: StreamTask;
  readonly port: StreamPort;
  /** Of the thread; the same for all its streams. See `HEARTBEAT_TICKS`. */
  readonly heartbeat: Int32Array;
  /** Of the stream: the fingerprint of the document that it is working on. See src/wire/fingerprint.ts. */
  readonly marker?: Int32Array;
}

/** One end of a stream's channel: a `MessagePort`, or what stands for one. Posting to a port whose other end is gone does nothing. */
export interface StreamPort {
  postMessage(message: FromWorker | ToWorker, transfer?: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'messageerror', listener: (error: Error) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  close(): void;
}

export type FromWorker =
  | { readonly type: 'open'; readonly decoder: 'simd' | 'json'; readonly encoding: Encoding }
  /** Of what came since the last one: fields of a newer server, which were left out. */
  | { readonly type: 'unknown-fields'; readonly count: number }
  | { readonly type: 'begin'; readonly resourceVersion: string; readonly continue: string }
  /** The layout is drawn in batch.ts. `sequence` counts from 0 within an epoch. */
  | {
      readonly type: 'batch';
      readonly epoch: number;
      readonly sequence: number;
      readonly buffer: ArrayBufferLike;
    }
  | {
      readonly type: 'end';
      /** Of a list; empty for a watch. */
      readonly resourceVersion: string;
      readonly continue: string;
      readonly remainingItemCount?: number;
    }
  | { readonly type: 'failed'; readonly error: WireError };

export type ToWorker = { readonly type: 'credit'; readonly batches: number } | { readonly type: 'stop' };

/** An error as plain data; main rebuilds `ApiStatusError`, `TransportError` or another `KubeflectError` from it. Holds no credentials and no object data. */
export type WireError =
  | { readonly type: 'status'; readonly status: WireStatus; readonly retryAfterMs?: number }
  | { readonly type: 'transport'; readonly errno: string; readonly message: string }
  | { readonly type: 'protocol'; readonly message: string }
  | { readonly type: 'hooks'; readonly message: string; readonly stack?: string };

/** A `v1 Status`, or what stands for one when the answer was plain text. */
export type WireStatus = Readonly<Record<string, unknown>> & { readonly code: number };

/**
 * Shared memory of one worker thread, an Int32Array: the worker counts `HEARTBEAT_TICKS` up several times a second from
 * its event loop; main reads it without asking. A thread whose count stands still is spinning.
 */
export const HEARTBEAT_TICKS = 0;
/** Bytes of ArrayBuffers that the worker accounts for, in KiB. */
export const HEARTBEAT_HELD_KIB = 1;
export const HEARTBEAT_SLOTS = 2;
