import { constants } from 'node:os';
import { type ControllerOptions, checkControllerOptions } from '../controller/controller-options.js';
import type { Engine } from '../engine/engine.js';
import type { KubernetesObject } from '../kube/object.js';
import type { LeaderElectorOptions } from '../leader-election/elector-options.js';
import {
  callback,
  duration,
  integer,
  invalidOption,
  object,
  type Rules,
  required,
  resolveOptions,
  string,
} from '../util/check-options.js';
import type { KubeflectError } from '../util/errors.js';

/** Where the endpoints of a manager listen: `/healthz`, `/readyz` and `/metrics`. */
export interface HealthOptions {
  /** 0 is any free port. @default 8080 */
  readonly port?: number;
  /** Probes of a kubelet need the address of the pod, or `0.0.0.0`. @default '127.0.0.1' */
  readonly host?: string;
  /** Not ready while a cache is older than this. @default 120_000 */
  readonly maxLagMs?: number;
  /** What `/metrics` serves, as that of a prom-client registry. @default the engine's metrics */
  readonly metrics?: () => string | Promise<string>;
}

/** What `runController` takes. The manager adds the engine's metrics and its own `onError` where there are none. */
export interface ManagedController<T extends KubernetesObject = KubernetesObject>
  extends Omit<ControllerOptions<T>, 'leaderElection'> {
  /** False: every replica reconciles, whether it is the leader or not. @default true */
  readonly needLeaderElection?: boolean;
}

export interface ManagerOptions<T extends readonly KubernetesObject[] = readonly KubernetesObject[]> {
  /** Whose informers the controllers use. The manager closes it when it ends. */
  readonly engine: Engine;
  /** What `runController` takes, once per controller; see `ManagedController`. */
  readonly controllers: { readonly [K in keyof T]: ManagedController<T[K]> };
  /**
   * What a `LeaderElector` takes: only the leader reconciles. The manager competes when its caches have synced, fails if
   * leadership is lost, and gives the Lease back last, when nothing is reconciled any more. @default every replica
   * reconciles
   */
  readonly leaderElection?: Omit<LeaderElectorOptions, 'engine'>;
  /** Serves the endpoints. @default none */
  readonly health?: HealthOptions;
  /** The manager fails if a cache has not synced by then. @default 120_000 */
  readonly cacheSyncTimeoutMs?: number;
  /**
   * How long queued keys are reconciled at the end, before reconciles are aborted. Five seconds later the rest is left
   * behind: a pod's `terminationGracePeriodSeconds` must be longer than both. @default 20_000
   */
  readonly gracefulShutdownTimeoutMs?: number;
  /** Signals of the process that stop the manager; a second one ends the process. @default ['SIGTERM', 'SIGINT'] */
  readonly signals?: readonly NodeJS.Signals[];
  /** Aborting stops the manager. */
  readonly signal?: AbortSignal;
  /**
   * Receives why the manager failed, and the errors of controllers that have no `onError`.
   * @default a process warning, at most one per second
   */
  readonly onError?: (error: KubeflectError) => void;
}

export interface ResolvedManagerOptions {
  readonly engine: Engine;
  readonly controllers: readonly ManagedController<never>[];
  readonly leaderElection: Omit<LeaderElectorOptions, 'engine'> | undefined;
  readonly health: Required<HealthOptions> | undefined;
  readonly cacheSyncTimeoutMs: number;
  readonly gracefulShutdownTimeoutMs: number;
  readonly signals: readonly NodeJS.Signals[];
  readonly signal: AbortSignal | undefined;
  readonly onError: ((error: KubeflectError) => void) | undefined;
}

const OWNER = 'runManager';

type Supplied = { readonly [K in keyof Required<ManagerOptions>]: unknown };

const RULES: Rules<Supplied> = {
  engine: required({
    fallback: () => undefined,
    expected: 'an Engine',
    accepts: (value) => typeof value === 'object' && value !== null && 'stats' in value && 'metrics' in value,
  }),
  controllers: required({
    fallback: () => undefined,
    expected: 'an array of options of runController, at least one',
    accepts: (value) => Array.isArray(value) && value.length > 0,
  }),
  leaderElection: object('an object with the name and the namespace of a Lease'),
  health: object('an object with a port'),
  cacheSyncTimeoutMs: duration(120_000, 1),
  gracefulShutdownTimeoutMs: duration(20_000),
  signals: {
    fallback: () => ['SIGTERM', 'SIGINT'],
    expected: 'an array of names of signals that a process can handle',
    accepts: (value) => Array.isArray(value) && value.every(canBeHandled),
  },
  signal: object('an AbortSignal'),
  onError: callback(),
};

function canBeHandled(signal: unknown): boolean {
  return typeof signal === 'string' && signal in constants.signals && !/^SIG(KILL|STOP)$/.test(signal);
}

const HEALTH_RULES: Rules<{ readonly [K in keyof Required<HealthOptions>]: unknown }> = {
  port: integer(8080, 0, 65_535),
  host: string('127.0.0.1', /^\S{1,255}$/, 'an IP address or a host name'),
  maxLagMs: duration(120_000, 1),
  metrics: callback(),
};

/** Throws `KUBEFLECT_OPTION_INVALID`. */
export function resolveManagerOptions(options: object): ResolvedManagerOptions {
  const resolved = resolveOptions(OWNER, RULES, options) as ResolvedManagerOptions;
  const { health, engine, controllers } = resolved;
  for (const controller of controllers) checkManagedController(controller);
  if (health === undefined) return resolved;
  const { metrics = () => engine.metrics.text(), ...rest } = resolveOptions(
    `${OWNER} health`,
    HEALTH_RULES,
    health,
  ) as Required<HealthOptions>;
  return { ...resolved, health: { ...rest, metrics } };
}

function checkManagedController(controller: ManagedController<never>): void {
  const { needLeaderElection, ...options } = controller;
  if (needLeaderElection !== undefined && typeof needLeaderElection !== 'boolean')
    throw invalidOption(OWNER, 'needLeaderElection of a controller must be true or false');
  if ('leaderElection' in options)
    throw invalidOption(OWNER, 'leaderElection is an option of the manager, not of its controllers');
  checkControllerOptions(options);
}
