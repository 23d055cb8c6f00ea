/** Which requests a fault touches. Absent fields match everything. */
export interface FaultMatch {
  /** `list`, `watch`, `get`, `create`, `update`, `patch`, `delete`, `deletecollection`, `other`, or several. */
  readonly verb?: string | readonly string[];
  /** A prefix of the path, or a pattern between slashes as in `/pods$/`. */
  readonly path?: string;
  /** Parameters of the query, with exactly these values. */
  readonly query?: Readonly<Record<string, string>>;
  /** Leaves this many matching requests alone first. */
  readonly skip?: number;
}

/** What goes wrong. Byte counts are of the response body before compression and chunking. */
export type Fault =
  /** The connection is dropped without an answer, and new connections are refused for `forMs`. */
  | { readonly type: 'refuse'; readonly forMs?: number }
  /** The answer begins this much later. */
  | { readonly type: 'delay'; readonly ms: number }
  /** Nothing more is sent after this many bytes of body (0: not even headers), and the connection stays open. */
  | { readonly type: 'stall'; readonly afterBytes?: number }
  /** The connection is closed in mid-body, by FIN. */
  | { readonly type: 'cut'; readonly afterBytes: number }
  /** The connection is reset in mid-body, by RST. */
  | { readonly type: 'reset'; readonly afterBytes: number }
  /** The body ends cleanly too early, as behind a proxy that lost its server. */
  | { readonly type: 'end'; readonly afterBytes: number }
  /** A watch ends cleanly after this many events. */
  | { readonly type: 'closeAfterEvents'; readonly events: number }
  /** The body is written in pieces of these sizes, in turn; down to one byte. */
  | { readonly type: 'chunks'; readonly sizes: readonly number[] }
  /** A Status instead of the answer. */
  | {
      readonly type: 'status';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** A plain text answer, as from priority-and-fairness, an unknown group, or the aggregator. */
  | {
      readonly type: 'plainText';
      readonly code: number;
      readonly text?: string;
      readonly retryAfterSeconds?: number;
    }
  /** A watch gets an ERROR event with this Status after so many events, and ends. */
  | {
      readonly type: 'errorEvent';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly afterEvents?: number;
    }
  /** A watch is told that its resourceVersion is too old, whatever it is. */
  | { readonly type: 'expireHistory' }
  /** A list with a continue token is told that the token has expired. */
  | { readonly type: 'expireContinue' }
  /** A watch gets no bookmarks, the one at the end of a streaming list included. */
  | { readonly type: 'dropBookmarks' }
  /** The n-th item or event (from 0) says it is of another kind. */
  | { readonly type: 'wrongKind'; readonly nth?: number; readonly kind?: string }
  /** The n-th item or event is not JSON. */
  | { readonly type: 'invalidJson'; readonly nth?: number }
  /** The body ends cleanly in the middle of the n-th item or event. */
  | { readonly type: 'truncatedJson'; readonly nth?: number }
  /** Every event of a watch is sent twice. */
  | { readonly type: 'duplicateEvents' }
  /** After each event of a watch, the one before it is sent again. */
  | { readonly type: 'staleEvents' }
  /** A redirect to another address. */
  | { readonly type: 'redirect'; readonly location: string; readonly code?: number };

export type FaultType = Fault['type'];

export interface FaultSpec {
  readonly match?: FaultMatch;
  readonly fault: Fault;
  /** How many requests it touches before it is spent. @default no end */
  readonly count?: number;
}

export interface FaultHit {
  readonly id: number;
  readonly type: FaultType;
  /** Requests touched so far. */
  readonly hits: number;
}
