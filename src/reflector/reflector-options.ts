import { fileURLToPath } from 'node:url';
import type { KubernetesObject } from '../kube/object.js';
import type { ReflectorStore } from '../store/reflector-store.js';
import { type BackoffManager, ExponentialBackoffManager, fixedBackoff } from '../util/backoff.js';
import { type Clock, type Random, systemClock, systemRandom } from '../util/clock.js';
import { KubeflectError } from '../util/errors.js';
import type { WarmStart } from './list/warm-start.js';
import type { ExpectedObject, ListerWatcher } from './lister-watcher.js';
import type { MachineConfig } from './machine/reflector-state.js';
import type { ReflectorMetrics } from './reflector-metrics.js';
import type { ReflectorReport } from './reflector-report.js';

/** Called whenever a round of list and watch ends with an error; the reflector then backs off and continues. */
export type WatchErrorHandler = (reflector: ReflectorIdentity, error: Error) => void;

/** The reflector that calls an error handler. */
export interface ReflectorIdentity {
  readonly name: string;
  readonly id: string;
  readonly typeDescription: string;
  readonly lastSyncResourceVersion: string;
}

/** client-go's GroupVersionKind. The core group is `''`. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface ReflectorOptions<T extends KubernetesObject> {
  readonly listerWatcher: ListerWatcher<T>;
  readonly store: ReflectorStore<T>;
  /** For reports. @default `file:line` of the caller */
  readonly name?: string;
  /** For messages. @default the expected GVK or type, or `<unspecified>` */
  readonly typeDescription?: string;
  /** The `kind` that every object must have; others are reported and skipped. */
  readonly expectedType?: string;
  /** Exactly this `apiVersion` and `kind`. */
  readonly expectedGVK?: GroupVersionKind;
  /** How often `store.resync()` is called; it sends no request. 0 is never. @default 0 */
  readonly resyncPeriodMs?: number;
  /** Called when the resync period has elapsed. @default always true */
  readonly shouldResync?: () => boolean;
  /**
   * Delays between rounds, and (without an `initConnBackoffManager`) between attempts to open a watch.
   * @default 0.8 s … 30 s, factor 2, jitter 1
   */
  readonly backoffManager?: BackoffManager;
  /** Delays after a refused connection or a 429. @default the `backoffManager` */
  readonly initConnBackoffManager?: BackoffManager;
  /** The older reflector's constant delay between rounds, in place of a backoff. */
  readonly periodMs?: number;
  /**
   * Page size of every list, also at a known version, which the server's watch cache then cannot answer. 0 is
   * client-go's rule: 500 where the server may page, no limit otherwise. @default 0
   */
  readonly watchListPageSize?: number;
  /** For how long a 500 inside a stream is retried without a relist. 0 is not at all. @default 0 */
  readonly maxInternalErrorRetryDurationMs?: number;
  /** Request a streaming list first. Falls back to pages where the server does not support it. @default true */
  readonly useWatchList?: boolean;
  /**
   * Watches have a random timeout between this and twice this. Values up to 5 minutes are ignored, as in client-go.
   * @default 300_000
   */
  readonly minWatchTimeoutMs?: number;
  /** @default reports the error: expired at level debug, others at level error */
  readonly watchErrorHandler?: WatchErrorHandler;
  /** Receives the reflector's reports; must not throw. @default none */
  readonly report?: (report: ReflectorReport) => void;
  readonly metrics?: ReflectorMetrics;
  /**
   * Minimum time between two connects, plus jitter. Lower reconnects faster and loads the server more. @default 1000
   */
  readonly minReconnectIntervalMs?: number;
  /**
   * A streaming list without initial events and without its end for this long is abandoned for a paged one; changes of
   * objects do not count. @default 20_000
   */
  readonly watchListIdleTimeoutMs?: number;
  /** The same for a streaming list whose initial events do not end. @default 300_000 */
  readonly watchListTimeoutMs?: number;
  /** A streaming list is tried again after this long if the server did not support it. @default 1_800_000 */
  readonly watchListReprobeMs?: number;
  /** A list that is silent for this long has failed; API servers abort a list after 60 s. @default 120_000 */
  readonly listIdleTimeoutMs?: number;
  /** Compare every streaming list with a plain one. For tests: doubles the load on the server. @default false */
  readonly consistencyDetector?: boolean;
  /** What an earlier process stored, in place of the first list if the server confirms it. @default none */
  readonly warmStart?: WarmStart<T>;
  readonly clock?: Clock;
  readonly random?: Random;
}

export type ResolvedReflectorOptions<T extends KubernetesObject> = Required<
  Omit<
    ReflectorOptions<T>,
    'expectedType' | 'expectedGVK' | 'periodMs' | 'metrics' | 'watchErrorHandler' | 'warmStart'
  >
> & {
  readonly warmStart: WarmStart<T> | undefined;
  readonly metrics: ReflectorMetrics | undefined;
  readonly watchErrorHandler: WatchErrorHandler | undefined;
  readonly expected: ExpectedObject;
};

/** client-go's minimum: shorter watches would only be more requests. */
const MIN_WATCH_TIMEOUT_MS = 300_000;

/** The default of `watchListReprobeMs`. */
export const WATCH_LIST_REPROBE_MS = 1_800_000;

const DURATIONS = {
  resyncPeriodMs: 0,
  watchListPageSize: 0,
  maxInternalErrorRetryDurationMs: 0,
  minReconnectIntervalMs: 1000,
  watchListIdleTimeoutMs: 20_000,
  watchListTimeoutMs: 300_000,
  watchListReprobeMs: WATCH_LIST_REPROBE_MS,
  listIdleTimeoutMs: 120_000,
  minWatchTimeoutMs: MIN_WATCH_TIMEOUT_MS,
} as const;

export function resolveReflectorOptions<T extends KubernetesObject>(
  options: ReflectorOptions<T>,
): ResolvedReflectorOptions<T> {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const backoff = (): BackoffManager => new ExponentialBackoffManager({ clock, random });
  const outer =
    options.backoffManager ?? (options.periodMs === undefined ? backoff() : fixedBackoff(options.periodMs));
  const inner = options.initConnBackoffManager ?? (options.periodMs === undefined ? outer : backoff());
  const numbers = resolveNumbers(options);
  return Object.freeze({
    ...numbers,
    minWatchTimeoutMs: Math.max(numbers.minWatchTimeoutMs, MIN_WATCH_TIMEOUT_MS),
    listerWatcher: options.listerWatcher,
    warmStart: options.warmStart,
    store: options.store,
    name: options.name ?? callSite(),
    typeDescription: options.typeDescription ?? describe(options),
    expected: expectedObject(options),
    shouldResync: options.shouldResync ?? (() => true),
    backoffManager: outer,
    initConnBackoffManager: inner,
    useWatchList: (options.useWatchList ?? true) && options.listerWatcher.isWatchListUnsupported !== true,
    watchErrorHandler: options.watchErrorHandler,
    report: options.report ?? (() => {}),
    metrics: options.metrics,
    consistencyDetector: options.consistencyDetector ?? false,
    clock,
    random,
  });
}

/** The options that the state machine needs. */
export function machineConfig<T extends KubernetesObject>(
  options: ResolvedReflectorOptions<T>,
): MachineConfig {
  return {
    typeDescription: options.typeDescription,
    useWatchList: options.useWatchList,
    watchListPageSize: options.watchListPageSize,
    maxInternalErrorRetryDurationMs: options.maxInternalErrorRetryDurationMs,
    minReconnectIntervalMs: options.minReconnectIntervalMs,
    watchListIdleTimeoutMs: options.watchListIdleTimeoutMs,
    watchListTimeoutMs: options.watchListTimeoutMs,
    watchListReprobeMs: options.watchListReprobeMs,
  };
}

function resolveNumbers<T extends KubernetesObject>(
  options: ReflectorOptions<T>,
): Record<keyof typeof DURATIONS, number> {
  const resolved: Record<keyof typeof DURATIONS, number> = { ...DURATIONS };
  for (const name of Object.keys(DURATIONS) as (keyof typeof DURATIONS)[]) {
    const value = options[name];
    if (value === undefined) continue;
    if (!Number.isFinite(value) || value < 0) {
      const message = `${name} must be a number of at least 0, got ${value}`;
      throw new KubeflectError('KUBEFLECT_OPTION_INVALID', message);
    }
    resolved[name] = value;
  }
  return resolved;
}

function expectedObject<T extends KubernetesObject>(options: ReflectorOptions<T>): ExpectedObject {
  const { expectedGVK, expectedType } = options;
  if (expectedGVK !== undefined) return { apiVersion: apiVersionOf(expectedGVK), kind: expectedGVK.kind };
  return expectedType === undefined ? {} : { kind: expectedType };
}

function describe<T extends KubernetesObject>(options: ReflectorOptions<T>): string {
  if (options.expectedGVK !== undefined) {
    return `${apiVersionOf(options.expectedGVK)}, Kind=${options.expectedGVK.kind}`;
  }
  return options.expectedType ?? '<unspecified>';
}

function apiVersionOf({ group, version }: GroupVersionKind): string {
  return group === '' ? version : `${group}/${version}`;
}

/** This package's directory: stack frames in it are not the call site. */
const OWN_DIRECTORY = fileURLToPath(new URL('..', import.meta.url));

let started = 0;

/** `file:line` of the caller outside of this package: client-go's default name of a reflector. */
export function callSite(): string {
  const frames = new Error().stack?.split('\n').slice(1) ?? [];
  for (const frame of frames) {
    const place = /\(?((?:file:\/\/)?[^\s()]+):(\d+):\d+\)?$/.exec(frame);
    if (place === null) continue;
    const [, address = '', line] = place;
    const file = address.startsWith('file://') ? fileURLToPath(address) : address;
    if (file.startsWith('node:') || file.startsWith(OWN_DIRECTORY)) continue;
    return `${file.split(/[\\/]/).slice(-2).join('/')}:${line}`;
  }
  return 'reflector';
}

/** Unique in this process and a valid Prometheus label, as in client-go: `reflector_<name>_<n>`. */
export function uniqueReflectorId(name: string): string {
  started++;
  return `reflector_${name.replace(/[^a-zA-Z0-9_]/g, '_')}_${started}`;
}
