/** Options of the embedded API server, as a user gives them and as the server gets them. */

/**
 * How the server answers `sendInitialEvents`: `on` as 1.34 and later; `off` as 1.26 and earlier, which do not know
 * the parameter; `refused` as a server whose gate is off (422); `silent` takes it and never sends the end bookmark,
 * as some look-alikes do.
 */
export type WatchListMode = 'on' | 'off' | 'refused' | 'silent';

export interface ServerOptions {
  /** Where it runs: a `thread` of this process, or a `process` of its own for measurements. @default 'thread' */
  readonly run?: 'thread' | 'process';
  /** 0 takes a free port. Always on 127.0.0.1. @default 0 */
  readonly port?: number;
  /** HTTPS by a CA of its own, with HTTP/2 as well as HTTP/1.1. @default false */
  readonly tls?: boolean;
  /** With TLS: offer HTTP/2. @default true */
  readonly http2?: boolean;
  /** Requests must carry this bearer token; others get 401. @default none is asked for */
  readonly token?: string;
  /** What `/version` says. @default 'v1.36.3' */
  readonly gitVersion?: string;
  /** @default 'on' */
  readonly watchList?: WatchListMode;
  /** False serves lists straight from storage: `resourceVersion=0` with a limit is really paged. @default true */
  readonly watchCache?: boolean;
  /** Between bookmarks of a watch that asked for them. @default 60000 */
  readonly bookmarkIntervalMs?: number;
  /** How long a request may wait for a resourceVersion that is not there yet. @default 3000 */
  readonly freshnessTimeoutMs?: number;
  /** A list, body included, must be written within this time. @default 60000 */
  readonly requestTimeoutMs?: number;
  /** A watch that names no timeout ends after this to twice this. @default 1800000 */
  readonly minWatchTimeoutMs?: number;
  /** Writes per resource that watches and page tokens can go back over. Lower: more 410. @default 100000 */
  readonly historyEvents?: number;
  /** A watch that is this many events behind, with its socket full, is cut; those from before it was opened do not count. @default 1000 */
  readonly watchBufferEvents?: number;
  /** How long such a watch has to catch up. @default 100 */
  readonly slowWatchGraceMs?: number;
  /** Pods with a node are gone this long after their deletion was asked for, as if a kubelet had confirmed; -1: never. @default 100 */
  readonly kubeletDelayMs?: number;
  /** Deleted namespaces are emptied and removed this long after; -1: they stay terminating. @default 50 */
  readonly namespaceDelayMs?: number;
  /** Makes names, uids and timeouts repeatable. @default 1 */
  readonly seed?: number;
}

export type ResolvedServerOptions = Required<Omit<ServerOptions, 'token'>> & {
  readonly token: string | undefined;
};

interface Rule<T> {
  readonly fallback: T;
  readonly expected: string;
  accepts(value: unknown): boolean;
}

const RULES: { readonly [K in keyof ResolvedServerOptions]: Rule<ResolvedServerOptions[K]> } = {
  run: oneOf('thread', ['thread', 'process']),
  port: integer(0, 0, 65_535),
  tls: flag(false),
  http2: flag(true),
  token: {
    fallback: undefined,
    expected: 'a non-empty string',
    accepts: (value) => typeof value === 'string' && value !== '',
  },
  gitVersion: {
    fallback: 'v1.36.3',
    expected: 'a version such as v1.36.3',
    accepts: (value) => typeof value === 'string' && /^v\d+\.\d+\.\d+/.test(value),
  },
  watchList: oneOf('on', ['on', 'off', 'refused', 'silent']),
  watchCache: flag(true),
  bookmarkIntervalMs: integer(60_000, 1),
  freshnessTimeoutMs: integer(3000, 0),
  requestTimeoutMs: integer(60_000, 1),
  minWatchTimeoutMs: integer(1_800_000, 1),
  historyEvents: integer(100_000, 0),
  watchBufferEvents: integer(1000, 1),
  slowWatchGraceMs: integer(100, 0),
  kubeletDelayMs: integer(100, -1),
  namespaceDelayMs: integer(50, -1),
  seed: integer(1, 0),
};

/** Throws a TypeError that names the option. */
export function resolveServerOptions(options: ServerOptions): ResolvedServerOptions {
  const given = options as Record<string, unknown>;
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(RULES, name)) {
      throw new TypeError(
        `startApiServer: there is no option ${name}; known are ${Object.keys(RULES).join(', ')}`,
      );
    }
  }
  const resolved = Object.entries(RULES).map(([name, rule]) => {
    const value = given[name];
    if (value === undefined) return [name, rule.fallback];
    if (!rule.accepts(value)) {
      throw new TypeError(`startApiServer: option ${name} must be ${rule.expected}, got ${describe(value)}`);
    }
    return [name, value];
  });
  return Object.freeze(Object.fromEntries(resolved)) as ResolvedServerOptions;
}

function describe(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value) : typeof value;
}

function flag(fallback: boolean): Rule<boolean> {
  return { fallback, expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
}

function integer(fallback: number, least: number, most: number = Number.MAX_SAFE_INTEGER): Rule<number> {
  return {
    fallback,
    expected: `a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`}`,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  };
}

function oneOf<T extends string>(fallback: T, values: readonly T[]): Rule<T> {
  return {
    fallback,
    expected: `one of ${values.join(', ')}`,
    accepts: (value) => values.includes(value as T),
  };
}
