/** What an engine with some informers is doing, as plain data: for the terminal, the page and scripts. Rates are per second, since the snapshot before. */
export interface Snapshot {
  /** Since the start, in milliseconds. */
  readonly atMs: number;
  readonly informers: readonly InformerSnapshot[];
  readonly workers: readonly WorkerSnapshot[];
  /** How late the event loop was, in milliseconds. */
  readonly eventLoop: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly memory: { readonly rss: number; readonly heap: number };
}

export interface InformerSnapshot {
  readonly name: string;
  readonly state: string;
  readonly objects: number;
  /** How many there were when the server was asked before the start, if it told. */
  readonly total: number | undefined;
  readonly listed: number;
  readonly listedPerSecond: number;
  /** Until the first list is complete, at this rate. */
  readonly leftMs: number | undefined;
  readonly events: { readonly add: number; readonly update: number; readonly delete: number };
  /** How old what can be read may be; undefined before the first list. */
  readonly lagMs: number | undefined;
  readonly bytes: number;
  readonly queued: number;
  readonly relists: number;
  readonly rejected: number;
  readonly lastError: string | undefined;
}

export interface WorkerSnapshot {
  /** 0 to 1. */
  readonly load: number;
  readonly streams: number;
  readonly restarts: number;
}
