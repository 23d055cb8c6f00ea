import type { ConnectionSettings } from '../wire/connection-settings.js';
import type { WireError } from '../wire/messages.js';
import type { ElectionEnd, ElectionOptions, LeaseVerb, LossReason } from './election-types.js';
import type { Lease, LeaseName } from './lease.js';

/**
 * The messages between the owner of an election and the lease thread, over a port of its own:
 *
 *     owner                                  lease thread
 *      │  LeaseTask ───────────────────────────▶ │  (piscina task `holdLease`)
 *      │ ◀────────────── leading, lost, observed │  a term is current only while its memory shows it, too
 *      │ ◀────────────────────── failed, accepted │  requests; only changes of their outcome
 *      │ ◀─────────────────────────── requested  │  every request, to be counted
 *      │  connection ──────────────────────────▶ │  the newest credentials
 *      │  yield, annotate ─────────────────────▶ │
 *      │  release, abandon ────────────────────▶ │
 *      │ ◀───────────────────────────── ended    │  last
 */
export interface LeaseTask {
  readonly election: ElectionOptions;
  readonly connection: ConnectionSettings;
  /** How many terms there were on earlier threads. */
  readonly terms: number;
  /** See leadership-memory.ts. */
  readonly termMemory: BigInt64Array;
  readonly ownerMemory: BigInt64Array;
  readonly port: LeasePort;
}

/** One end of the channel: a `MessagePort`. */
export interface LeasePort {
  postMessage(message: FromLeaseThread | ToLeaseThread): void;
  on(event: 'message', listener: (message: never) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  close(): void;
}

export type FromLeaseThread =
  | { readonly type: 'leading'; readonly term: number; readonly transitions: number }
  | { readonly type: 'lost'; readonly term: number; readonly reason: LossReason }
  | { readonly type: 'observed'; readonly holder: string; readonly transitions: number }
  | { readonly type: 'failed'; readonly verb: LeaseVerb; readonly error: WireError }
  /** The first success of a verb after its failure, or with new credentials. */
  | { readonly type: 'accepted' }
  | { readonly type: 'requested'; readonly verb: LeaseVerb; readonly code: number | undefined }
  | { readonly type: 'ended'; readonly reason: ElectionEnd };

export type ToLeaseThread =
  | { readonly type: 'connection'; readonly connection: ConnectionSettings }
  | { readonly type: 'yield'; readonly term: number }
  | { readonly type: 'annotate'; readonly annotations: Readonly<Record<string, string>> }
  | { readonly type: 'release' }
  | { readonly type: 'abandon' };

/** The argument of the piscina task `requestLease`: one request. */
export interface LeaseRequest extends LeaseName {
  readonly verb: LeaseVerb | 'delete';
  readonly connection: ConnectionSettings;
  /** Of create and update: an update needs the version that it replaces. */
  readonly lease?: Lease;
  /** Of delete. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly timeoutMs: number;
}

/** `code`: of the HTTP response; undefined if there was none. */
export type LeaseReply = { readonly code: number | undefined } & (
  | { readonly type: 'ok'; readonly lease: Lease | undefined }
  | { readonly type: 'failed'; readonly error: WireError }
);
