import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import type { ConnectionSource } from '../auth/connection-source.js';
import type { ExecPolicy } from '../auth/exec/exec-plugin.js';
import type { KubeConfigLike } from '../auth/kube-config/kube-config.js';
import type { RestartBackoffOptions } from '../pool/worker-death.js';
import {
  callback,
  duration,
  integer,
  invalidOption,
  object,
  type Rules,
  resolveOptions,
} from '../util/check-options.js';
import type { Clock, Random } from '../util/clock.js';
import type { KubeflectError } from '../util/errors.js';
import type { Metrics } from '../util/metrics.js';
import type { StreamLimits } from '../wire/stream-task.js';
import {
  type ResolvedSnapshotOptions,
  resolveSnapshotOptions,
  type SnapshotOptions,
} from './snapshots/snapshot-options.js';

export interface EngineOptions {
  /** A `KubeConfig` of `@kubernetes/client-node`; its current context is used. Either this or `connection`. */
  readonly kubeConfig?: KubeConfigLike;
  /**
   * Address and credentials of the API server, or a function that is called for each stream. `inCluster()` makes one.
   */
  readonly connection?: ConnectionSource | (() => ConnectionSource);
  /**
   * Which exec plugins of a kubeconfig may run: `allow` all, as kubectl and client-node do; `deny` all; or a list of
   * commands exactly as they are written in the kubeconfig. Use a list for kubeconfigs that others can write.
   * @default 'allow'
   */
  readonly execPlugins?: ExecPolicy;
  /**
   * Worker threads that read, decode and check. More make first lists faster, up to the number of pages or informers
   * that can be processed at once and until the API server is the bottleneck; each costs 15 to 60 MB, and a core
   * while it is busy. Fewer leave cores to the program. 0 runs everything on the main thread, which then stalls: for
   * debuggers and bundlers. 0 to 64.
   * @default cores − 1, at least 1, at most 4
   */
  readonly workers?: number;
  /**
   * Maximum JavaScript heap of one worker in MiB; a worker that needs more is replaced. Buffers do not count.
   * @default Node's own limit
   */
  readonly workerHeapMb?: number;
  /**
   * Receives non-fatal errors of the engine, and of informers without an `onError` of their own. A list or watch that
   * fails repeatedly for the same reason is reported once, and again after ten minutes.
   * @default a process warning, at most one per second
   */
  readonly onError?: (error: KubeflectError) => void;
  /** Where the engine and its informers register their metrics. @default a `Metrics` of its own: `engine.metrics` */
  readonly metrics?: Metrics;
  /**
   * Keeps the caches in files, so that a restarted process does not list everything again: see [warm start](warm-start.md).
   * @default none
   */
  readonly snapshot?: SnapshotOptions;
  /** Timings, limits and injected dependencies whose defaults suit almost every program. */
  readonly advanced?: AdvancedEngineOptions;
}

/** Timings, limits and injected dependencies of an engine. Change one only with a measurement, or in a test. */
export interface AdvancedEngineOptions {
  /**
   * A worker whose event loop is blocked for this long is replaced. Lower detects endless loops in hooks earlier, and
   * may end a worker that is only slow.
   * @default 30_000
   */
  readonly heartbeatTimeoutMs?: number;
  /** How soon a lost worker is replaced if it keeps dying. @default immediately, then 250 ms doubling to 10 s */
  readonly restartBackoff?: RestartBackoffOptions;
  /** Maximum sizes of what a server may send, and timeouts. */
  readonly limits?: Partial<StreamLimits>;
  /**
   * Where a bundler has put `workers/entry.cjs` and the files it imports: a path or a URL.
   * @default where it was installed
   */
  readonly workerFile?: string | URL;
  /** Virtual time, for simulations. @default the system's clock */
  readonly clock?: Clock;
  /** Seeded randomness, for simulations: a number from 0 to 1, as `Math.random`. @default `Math.random` */
  readonly random?: Random;
}

export interface ResolvedEngineOptions {
  /** Exactly one of `kubeConfig` and `connection` is set. */
  readonly kubeConfig: KubeConfigLike | undefined;
  readonly connection: ConnectionSource | (() => ConnectionSource) | undefined;
  readonly execPlugins: ExecPolicy;
  readonly workers: number;
  readonly workerHeapMb: number | undefined;
  readonly onError: ((error: KubeflectError) => void) | undefined;
  readonly metrics: Metrics | undefined;
  readonly snapshot: ResolvedSnapshotOptions | undefined;
  readonly heartbeatTimeoutMs: number;
  readonly restartBackoff: RestartBackoffOptions;
  readonly limits: StreamLimits;
  readonly workerFile: URL | undefined;
  readonly clock: Clock | undefined;
  readonly random: Random | undefined;
}

/** More would compete for the same cores, and each has its own heap. */
const DEFAULT_MAX_WORKERS = 4;

type Supplied = Pick<
  ResolvedEngineOptions,
  'kubeConfig' | 'connection' | 'execPlugins' | 'workers' | 'workerHeapMb' | 'onError' | 'metrics'
> & { readonly advanced: AdvancedEngineOptions; readonly snapshot: SnapshotOptions | undefined };

const RULES: Rules<Supplied> = {
  kubeConfig: {
    fallback: () => undefined,
    expected: 'a KubeConfig of @kubernetes/client-node',
    accepts: (value) =>
      typeof value === 'object' &&
      value !== null &&
      typeof (value as Partial<KubeConfigLike>).getCurrentCluster === 'function',
  },
  connection: {
    fallback: () => undefined,
    expected: 'connection settings, or a function that returns them',
    accepts: (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
  },
  execPlugins: {
    fallback: () => 'allow',
    expected: "'allow', 'deny', or an array of commands",
    accepts: (value) =>
      value === 'allow' ||
      value === 'deny' ||
      (Array.isArray(value) && value.every((command) => typeof command === 'string')),
  },
  workers: integer(() => Math.min(DEFAULT_MAX_WORKERS, Math.max(1, availableParallelism() - 1)), 0, 64),
  workerHeapMb: integer(undefined, 8),
  onError: callback(),
  metrics: object('a Metrics'),
  snapshot: object('an object with a directory'),
  advanced: { ...object<AdvancedEngineOptions>('an object'), fallback: () => ({}) },
};

type SuppliedAdvanced = Pick<
  ResolvedEngineOptions,
  'heartbeatTimeoutMs' | 'restartBackoff' | 'clock' | 'random'
> & {
  readonly limits: Partial<StreamLimits>;
  readonly workerFile: string | URL | undefined;
};

const ADVANCED: Rules<SuppliedAdvanced> = {
  heartbeatTimeoutMs: duration(30_000, 100),
  restartBackoff: { ...object<RestartBackoffOptions>('an object'), fallback: () => ({}) },
  limits: { ...object<Partial<StreamLimits>>('an object'), fallback: () => ({}) },
  workerFile: {
    fallback: () => undefined,
    expected: 'the path or URL of a file',
    accepts: (value) => value instanceof URL || typeof value === 'string',
  },
  clock: object('a Clock'),
  random: callback(),
};

/** Only checks; the defaults are those of `RestartBackoff`. */
const RESTART_BACKOFF: Rules<Required<RestartBackoffOptions>> = {
  initialMs: duration(0),
  maxMs: duration(0),
  healthyMs: duration(0),
};

const LIMITS: Rules<StreamLimits> = {
  objectBytes: integer(16 * 1024 * 1024, 1024, 256 * 1024 * 1024),
  depth: integer(500, 10, 1000),
  batchBytes: integer(256 * 1024, 1024, 16 * 1024 * 1024),
  connectMs: duration(10_000, 1),
  listMs: duration(600_000, 1),
  probeAfterMs: duration(15_000, 100),
  probeMs: duration(10_000, 100),
  watchStallMs: duration(180_000, 1),
  gzipRatio: integer(200, 2),
};

/** Throws `KUBEFLECT_OPTION_INVALID`. */
export function resolveEngineOptions(options: EngineOptions): ResolvedEngineOptions {
  const { advanced, snapshot, ...basic } = resolveOptions('Engine', RULES, options);
  if ((basic.kubeConfig === undefined) === (basic.connection === undefined)) {
    throw invalidOption('Engine', 'exactly one of kubeConfig and connection must be set');
  }
  const { workerFile, limits, ...rest } = resolveOptions('Engine advanced', ADVANCED, advanced);
  resolveOptions('Engine advanced.restartBackoff', RESTART_BACKOFF, rest.restartBackoff);
  return Object.freeze({
    ...basic,
    ...rest,
    snapshot: snapshot && resolveSnapshotOptions(snapshot),
    workerFile: workerFile === undefined ? undefined : fileUrlOf(workerFile),
    limits: resolveOptions('Engine advanced.limits', LIMITS, limits),
  });
}

function fileUrlOf(file: string | URL): URL {
  return file instanceof URL || /^file:/i.test(file) ? new URL(file) : pathToFileURL(file);
}
