import type { Definition } from '../wire/definitions.js';
import type { Anchor, ExpectedIdentity, SnapshotHeader } from './snapshot-header.js';
import type { SnapshotRejectionReason } from './snapshot-rejection.js';

/**
 * The messages between the main thread and the thread of the snapshots. Requests are answered in order, by exactly one
 * `opened`, `written`, `read` or `rejected`, before which a read may bring `begin` and any number of `table` and `cells`.
 *
 *     main                       thread
 *      │  open ──────────────────▶ │  the directory, once
 *      │  define ────────────────▶ │  definitions of a table, before they are needed; no answer
 *      │  forget ────────────────▶ │  a table that no file has any more; no answer
 *      │  slabs ─────────────────▶ │  for the next write of this name, shared: the main thread goes on appending; no answer
 *      │  write ─────────────────▶ │
 *      │  read ──────────────────▶ │
 *      │ ◀── begin, table, cells   │
 *      │  close ─────────────────▶ │  the thread ends
 */
export type SnapshotRequest =
  | {
      readonly type: 'open';
      readonly id: number;
      /** An absolute path. */
      readonly directory: string;
      readonly key: Uint8Array | undefined;
      readonly maxBytes: number;
      /** An Int32: not 0 once writing should end. */
      readonly stop: SharedArrayBuffer;
    }
  | {
      readonly type: 'define';
      readonly tableId: string;
      readonly first: number;
      readonly definitions: readonly Definition[];
    }
  | { readonly type: 'forget'; readonly tableId: string }
  | { readonly type: 'slabs'; readonly name: string; readonly slabs: readonly CapturedSlab[] }
  | {
      readonly type: 'write';
      readonly id: number;
      readonly name: string;
      readonly header: Omit<SnapshotHeader, 'anchors' | 'tables'>;
      /** By namespace; the digest is computed by the thread. */
      readonly anchors: Readonly<Record<string, CapturedAnchor>>;
      /** How many definitions each table had. */
      readonly tables: Readonly<Record<string, number>>;
    }
  | {
      readonly type: 'read';
      readonly id: number;
      readonly name: string;
      readonly expected: ExpectedIdentity;
    }
  | { readonly type: 'close' };

/** The cells of one slab at the time of the capture. Cells never change, and the buffer is never used again. */
export interface CapturedSlab {
  readonly buffer: SharedArrayBuffer;
  readonly offsets: Uint32Array;
  readonly tableId: string;
}

/** An anchor, and the cell of its event. */
export interface CapturedAnchor extends Omit<Anchor, 'digest'> {
  readonly buffer: ArrayBufferLike;
  readonly offset: number;
  readonly tableId: string;
}

export type SnapshotResponse =
  | { readonly type: 'opened'; readonly id: number }
  | { readonly type: 'written'; readonly id: number; readonly bytes: number; readonly cpuMs: number }
  | { readonly type: 'begin'; readonly id: number; readonly objects: number }
  | { readonly type: 'table'; readonly id: number; readonly definitions: readonly Definition[] }
  | {
      readonly type: 'cells';
      readonly id: number;
      readonly buffer: SharedArrayBuffer;
      readonly offsets: Uint32Array;
      readonly table: number;
    }
  | { readonly type: 'read'; readonly id: number; readonly header: SnapshotHeader; readonly bytes: number }
  | {
      readonly type: 'rejected';
      readonly id: number;
      readonly reason: SnapshotRejectionReason | 'aborted';
      readonly message: string;
    };
