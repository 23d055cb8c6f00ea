/** The requests that a fault applies to. Absent fields match everything. */
export interface FaultMatch {
  /** One or several of `list`, `watch`, `get`, `create`, `update`, `patch`, `delete`, `deletecollection`, `other`. */
  readonly verb?: string | readonly string[];
  /** A prefix of the path, or a regular expression between slashes as in `/pods$/`. */
  readonly path?: string;
  /** Query parameters, with exactly these values. */
  readonly query?: Readonly<Record<string, string>>;
  /** Number of matching requests to skip first. */
  readonly skip?: number;
}

/** What fails. Byte counts refer to the response body before compression and chunking. */
export type Fault =
  /** The connection is closed without a response, and new connections are refused for `forMs`. */
  | { readonly type: 'refuse'; readonly forMs?: number }
  /** The response is delayed. */
  | { readonly type: 'delay'; readonly ms: number }
  /** Nothing more is sent after this many bytes of body (0: not even headers), and the connection stays open. */
  | { readonly type: 'stall'; readonly afterBytes?: number }
  /** The connection is closed in mid-body, by FIN. */
  | { readonly type: 'cut'; readonly afterBytes: number }
  /** The connection is reset in mid-body, by RST. */
  | { readonly type: 'reset'; readonly afterBytes: number }
  /** The body ends cleanly but too early, as behind a proxy that lost its upstream. */
  | { readonly type: 'end'; readonly afterBytes: number }
  /** A watch ends cleanly after this many events. */
  | { readonly type: 'closeAfterEvents'; readonly events: number }
  /** A watch ends cleanly after this time; `isSilent`: without a single event. */
  | { readonly type: 'closeAfterMs'; readonly ms: number; readonly isSilent?: boolean }
  /** The body is written in chunks of these sizes, in turn; down to one byte. */
  | { readonly type: 'chunks'; readonly sizes: readonly number[] }
  /** A Status instead of the response. */
  | {
      readonly type: 'status';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** 429 for a request that arrives while `max` others of this fault are being answered; an open watch does not count. */
  | { readonly type: 'maxInFlight'; readonly max: number; readonly retryAfterSeconds?: number }
  /** A plain text response, as from priority and fairness, an unknown group, or the aggregator. */
  | {
      readonly type: 'plainText';
      readonly code: number;
      readonly text?: string;
      readonly retryAfterSeconds?: number;
    }
  /** A watch gets an ERROR event with this Status after `afterEvents` events, and ends. */
  | {
      readonly type: 'errorEvent';
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly afterEvents?: number;
    }
  /** A watch gets 410 Gone: its resourceVersion is too old. */
  | { readonly type: 'expireHistory' }
  /** A list with a continue token gets 410 Gone: the token has expired. */
  | { readonly type: 'expireContinue' }
  /** A watch gets no bookmarks, or none that ends a streaming list. @default 'all' */
  | { readonly type: 'dropBookmarks'; readonly which?: 'all' | 'initial-events-end' }
  /** The n-th item or event (from 0) has another kind. */
  | { readonly type: 'wrongKind'; readonly nth?: number; readonly kind?: string }
  /** The n-th item or event is invalid JSON (or protobuf). */
  | { readonly type: 'invalidJson'; readonly nth?: number }
  /** The body ends cleanly in the middle of the n-th item or event. */
  | { readonly type: 'truncatedJson'; readonly nth?: number }
  /** Every event of a watch is sent twice. */
  | { readonly type: 'duplicateEvents' }
  /** After each event of a watch, the previous one is sent again. */
  | { readonly type: 'staleEvents' }
  /** A redirect to another URL. */
  | { readonly type: 'redirect'; readonly location: string; readonly code?: number };

export type FaultType = Fault['type'];

export interface FaultSpec {
  readonly match?: FaultMatch;
  readonly fault: Fault;
  /** How many requests it affects. @default no limit */
  readonly count?: number;
}

export interface FaultHit {
  readonly id: number;
  readonly type: FaultType;
  /** Requests affected so far. */
  readonly hits: number;
}
