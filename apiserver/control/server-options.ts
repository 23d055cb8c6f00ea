/** The release of kube-apiserver that the server behaves like. */
export const EMULATED_VERSION = 'v1.37.1';

/**
 * How the server handles `sendInitialEvents`: `on` as 1.34 and later; `off` as 1.26 and earlier, which ignore the
 * parameter; `rejected` as a server whose feature gate is off (422); `silent` accepts it and never sends the end
 * bookmark, as some compatible servers do.
 */
export type WatchListMode = 'on' | 'off' | 'rejected' | 'silent';

export interface ServerOptions {
  /** Runs in a worker `thread` of this process, or in its own `process`, for measurements. @default 'thread' */
  readonly run?: 'thread' | 'process';
  /** 0: a free port. The server always listens on 127.0.0.1. @default 0 */
  readonly port?: number;
  /** HTTPS with a generated CA, with HTTP/2 as well as HTTP/1.1. @default false */
  readonly tls?: boolean;
  /** With TLS: offer HTTP/2. @default true */
  readonly http2?: boolean;
  /** Requests without this bearer token get 401. @default no authentication */
  readonly token?: string;
  /** The version that `/version` reports; the behaviour is always that of v1.37.1. @default 'v1.37.1' */
  readonly gitVersion?: string;
  /** @default 'on' */
  readonly watchList?: WatchListMode;
  /**
   * The feature gate of that name: lists and watches take `shardSelector`, which is ignored otherwise.
   * @default false
   */
  readonly shardedListAndWatch?: boolean;
  /** False serves lists directly from storage: `resourceVersion=0` with a limit returns pages. @default true */
  readonly watchCache?: boolean;
  /** Interval between the bookmarks of a watch that requested them. @default 60000 */
  readonly bookmarkIntervalMs?: number;
  /** How long a request waits for a resourceVersion that is not reached yet. @default 3000 */
  readonly freshnessTimeoutMs?: number;
  /** Deadline of a list, including its body. @default 60000 */
  readonly requestTimeoutMs?: number;
  /** A watch without a timeout ends after once to twice this time. @default 1800000 */
  readonly minWatchTimeoutMs?: number;
  /** Writes kept per resource, from which watches and continue tokens can resume. Lower: more 410. @default 100000 */
  readonly historyEvents?: number;
  /**
   * A watch that falls this many events behind, with its socket full, is closed; events before it was opened do not
   * count. @default 1000
   */
  readonly watchBufferEvents?: number;
  /** Grace period in which such a watch can catch up. @default 100 */
  readonly slowWatchGraceMs?: number;
  /** Delay until a deleted pod with a node is removed, as if confirmed by a kubelet; -1: never. @default 100 */
  readonly kubeletDelayMs?: number;
  /** Delay after which deleted namespaces are emptied and removed; -1: they stay terminating. @default 50 */
  readonly namespaceDelayMs?: number;
  /** Makes generated names and timeouts repeatable. @default 1 */
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
    fallback: EMULATED_VERSION,
    expected: `a version such as ${EMULATED_VERSION}`,
    accepts: (value) => typeof value === 'string' && /^v\d+\.\d+\.\d+/.test(value),
  },
  watchList: oneOf('on', ['on', 'off', 'rejected', 'silent']),
  shardedListAndWatch: flag(false),
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
  const values = options as Record<string, unknown>;
  for (const name of Object.keys(values)) {
    if (!Object.hasOwn(RULES, name)) {
      throw new TypeError(
        `startApiServer: unknown option ${name}; expected one of ${Object.keys(RULES).join(', ')}`,
      );
    }
  }
  const resolved = Object.entries(RULES).map(([name, rule]) => {
    const value = values[name];
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

function integer(fallback: number, min: number, max: number = Number.MAX_SAFE_INTEGER): Rule<number> {
  return {
    fallback,
    expected: `a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
  };
}

function oneOf<T extends string>(fallback: T, values: readonly T[]): Rule<T> {
  return {
    fallback,
    expected: `one of ${values.join(', ')}`,
    accepts: (value) => values.includes(value as T),
  };
}
