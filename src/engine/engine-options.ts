import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import type { ConnectionSource } from '../auth/connection-source.js';
import type { ExecPolicy } from '../auth/exec/exec-plugin.js';
import type { KubeConfigLike } from '../auth/kube-config/kube-config.js';
import type { RestartBackoffOptions } from '../pool/restart-backoff.js';
import {
  callback,
  duration,
  invalidOption,
  object,
  type Rules,
  resolveOptions,
  wholeNumber,
} from '../util/check-options.js';
import type { Clock, Random } from '../util/clock.js';
import type { KubeflectError } from '../util/errors.js';
import type { Metrics } from '../util/metrics.js';
import type { StreamLimits } from '../wire/stream-task.js';

export interface EngineOptions {
  /** From `@kubernetes/client-node`, with its current context. This or `connection`. */
  readonly kubeConfig?: KubeConfigLike;
  /** Where the API server is and how to prove who asks; or a function that is asked for each stream. `inCluster()` makes one. */
  readonly connection?: ConnectionSource | (() => ConnectionSource);
  /**
   * Which exec plugins of a kubeconfig may run: `allow` all, as kubectl and client-node do; `deny` all; or a list of commands, letter by
   * letter as the kubeconfig has them. Use a list for kubeconfigs that others can write. @default 'allow'
   */
  readonly execPlugins?: ExecPolicy;
  /**
   * Threads that read, decode and check. More: first lists are faster, up to the number of pages or informers that can be worked on at
   * once and until the API server is the limit; each costs 15 to 60 MB, and a core while it is busy. Fewer: leaves cores to the
   * program. 0: everything on the main thread, which then stalls; for debuggers and bundlers. 0 to 64.
   * @default cores − 1, at least 1, at most 4
   */
  readonly workers?: number;
  /** A worker whose event loop stands still for this long is replaced. Lower finds endless loops in hooks earlier, and may kill one that is only slow. @default 30_000 */
  readonly heartbeatTimeoutMs?: number;
  /** Limit of one worker's JavaScript heap, in MiB; it is replaced when it needs more. Buffers do not count. @default Node's own */
  readonly workerHeapMb?: number;
  /** Address of `workers/entry.cjs` where a bundler has put it, with the files it imports. @default where it was installed */
  readonly workerFile?: string | URL;
  /** How soon a lost worker is replaced if it keeps dying. @default at once, then 250 ms doubling to 10 s */
  readonly restartBackoff?: RestartBackoffOptions;
  /** Caps on what a server may send, and timeouts. */
  readonly limits?: Partial<StreamLimits>;
  /** Told of everything that went wrong and did not end anything, also by informers without an `onError` of their own. @default a process warning, at most one per second */
  readonly onError?: (error: KubeflectError) => void;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface ResolvedEngineOptions {
  /** Exactly one of these two. */
  readonly kubeConfig: KubeConfigLike | undefined;
  readonly connection: ConnectionSource | (() => ConnectionSource) | undefined;
  readonly execPlugins: ExecPolicy;
  readonly workers: number;
  readonly heartbeatTimeoutMs: number;
  readonly workerHeapMb: number | undefined;
  readonly workerFile: URL | undefined;
  readonly restartBackoff: RestartBackoffOptions;
  readonly limits: StreamLimits;
  readonly onError: ((error: KubeflectError) => void) | undefined;
  readonly metrics: Metrics | undefined;
  readonly clock: Clock | undefined;
  readonly random: Random | undefined;
}

/** More would only share the same cores; each has a heap of its own. */
const MOST_WORKERS_BY_DEFAULT = 4;

const RULES: Rules<Given> = {
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
  workers: wholeNumber(
    () => Math.min(MOST_WORKERS_BY_DEFAULT, Math.max(1, availableParallelism() - 1)),
    0,
    64,
  ),
  heartbeatTimeoutMs: duration(30_000, 100),
  workerHeapMb: wholeNumber(undefined, 8),
  workerFile: {
    fallback: () => undefined,
    expected: 'the address of a file, as a URL or a text',
    accepts: (value) => value instanceof URL || typeof value === 'string',
  },
  restartBackoff: { ...object<RestartBackoffOptions>('an object'), fallback: () => ({}) },
  limits: { ...object<Partial<StreamLimits>>('an object'), fallback: () => ({}) },
  onError: callback(),
  metrics: object('a Metrics'),
  clock: object('a Clock'),
  random: callback(),
};

/** Their defaults are in `RestartBackoff`. */
const RESTART_BACKOFF: Rules<Required<RestartBackoffOptions>> = {
  initialMs: duration(0),
  maxMs: duration(0),
  healthyMs: duration(0),
};

const LIMITS: Rules<StreamLimits> = {
  objectBytes: wholeNumber(16 * 1024 * 1024, 1024, 256 * 1024 * 1024),
  depth: wholeNumber(500, 10, 1000),
  batchBytes: wholeNumber(256 * 1024, 1024, 16 * 1024 * 1024),
  batchDelayMs: duration(5),
  connectMs: duration(10_000, 1),
  listMs: duration(600_000, 1),
  probeAfterMs: duration(15_000, 100),
  probeMs: duration(10_000, 100),
  watchStallMs: duration(180_000, 1),
  gzipRatio: wholeNumber(200, 2),
};

type Given = {
  -readonly [K in keyof Required<EngineOptions>]: K extends
    | 'execPlugins'
    | 'workers'
    | 'heartbeatTimeoutMs'
    | 'restartBackoff'
    | 'limits'
    ? Required<EngineOptions>[K]
    : Required<EngineOptions>[K] | undefined;
};

/** Throws `KUBEFLECT_OPTION_INVALID`. */
export function resolveEngineOptions(options: EngineOptions): ResolvedEngineOptions {
  const { kubeConfig, connection, workerFile, limits, ...rest } = resolveOptions<Given>(
    'Engine',
    RULES,
    options,
  );
  if ((kubeConfig === undefined) === (connection === undefined)) {
    throw invalidOption('Engine', 'exactly one of kubeConfig and connection must be given');
  }
  resolveOptions('Engine restartBackoff', RESTART_BACKOFF, rest.restartBackoff);
  return Object.freeze({
    ...rest,
    workerFile: workerFile === undefined ? undefined : fileUrlOf(workerFile),
    limits: resolveOptions('Engine limits', LIMITS, limits),
    kubeConfig,
    connection,
  });
}

function fileUrlOf(file: string | URL): URL {
  return file instanceof URL || /^file:/i.test(file) ? new URL(file) : pathToFileURL(file);
}
