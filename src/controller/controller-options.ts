import type { KubernetesObject } from '../kube/object.js';
import type { RingOwnership } from '../kube/sharding/ring-shards.js';
import type { Leadership } from '../lease/leadership.js';
import type { Entry } from '../store/entry.js';
import {
  callback,
  duration,
  integer,
  object,
  type Rules,
  required,
  resolveOptions,
  string,
} from '../util/check-options.js';
import { type Clock, MAX_TIMER_MS, type Random } from '../util/clock.js';
import type { KubeflectError } from '../util/errors.js';
import type { Metrics } from '../util/metrics.js';
import {
  type ControllerInformer,
  type ControllerSource,
  checkSource,
  type OwnedSource,
} from './controller-source.js';
import type { Predicate } from './predicates.js';
import type { RateLimiter } from './rate-limiters.js';
import type { Reconcile } from './reconcile.js';
import { ringInformer } from './ring-gate.js';

/** The types of the objects of several sources. */
type Types = readonly KubernetesObject[];

export interface ControllerOptions<
  T extends KubernetesObject = KubernetesObject,
  Watched extends Types = Types,
  Owned extends Types = Types,
> {
  /** The informer whose keys are reconciled. Started if necessary. */
  readonly informer: ControllerInformer<T>;
  readonly reconcile: Reconcile<T>;
  /**
   * Which updates of the informer's objects are reconciled: see `predicates`. Additions, deletions, resyncs, and updates
   * of `deletionTimestamp` and `finalizers` are in any case. @default all
   */
  readonly predicate?: Predicate<T>;
  /** Objects of the informer for which it returns false are not reconciled: see `SourceOptions.filter`. @default none */
  filter?(entry: Entry<T>): boolean;
  /** How many keys are reconciled at the same time. @default 1 */
  readonly concurrency?: number;
  /**
   * A reconcile that takes longer has failed: its signal is aborted, this is reported and counted, and it is retried
   * once it has ended. @default none
   */
  readonly reconcileTimeoutMs?: number;
  /** Other collections whose changes map to keys of `informer`. Started if necessary. @default none */
  readonly watches?: { readonly [K in keyof Watched]: ControllerSource<Watched[K]> };
  /**
   * Collections of children: a change of one reconciles the object of `informer` that is its controller, also the
   * former one if that changes. Their informers need an index of `controllerUid`. Started if necessary. @default none
   */
  readonly owns?: { readonly [K in keyof Owned]: OwnedSource<Owned[K]> };
  /**
   * How long a key is held back until the caches show what its last reconcile has reported as written; then it is
   * reconciled anyway, and counted. 0: not at all. @default 10000
   */
  readonly ownWritesTimeoutMs?: number;
  /**
   * A `LeaderElector`: only its leader reconciles. Until then the informers are kept synced, and the queue is filled.
   * Started if necessary; not stopped with the controller. @default every replica reconciles
   */
  readonly leaderElection?: Leadership;
  /**
   * A `ShardRing`: only objects of this process's shards are reconciled, and all of them when it acquires a shard. To be
   * passed to `informer`, too. Started if necessary; not stopped with the controller. @default all objects
   */
  readonly ring?: RingOwnership;
  /** In metrics and errors. @default the informer's */
  readonly name?: string;
  /** @default `defaultControllerRateLimiter` */
  readonly rateLimiter?: RateLimiter<string>;
  /** Where the queue and `kubeflect_reconciles_total` are counted: `engine.metrics`. @default not reported */
  readonly metrics?: Metrics;
  /** Receives the error of every failed reconcile. @default a process warning, at most one per second */
  readonly onError?: (error: KubeflectError) => void;
  /** Aborting stops the controller. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** For the jitter of `requeueAfterMs`. @default Math.random */
  readonly random?: Random;
}

type Supplied = { readonly [K in keyof Required<ControllerOptions>]: unknown };

const RULES: Rules<Supplied> = {
  informer: required(object('an informer')),
  reconcile: required(callback()),
  predicate: callback(),
  filter: callback(),
  concurrency: integer(1, 1, 10_000),
  reconcileTimeoutMs: {
    fallback: () => undefined,
    expected: 'milliseconds, more than 0 and at most 2147483647',
    accepts: (value) => typeof value === 'number' && value > 0 && value <= MAX_TIMER_MS,
  },
  watches: {
    fallback: () => [],
    expected: 'an array of informers with keys',
    accepts: (value) => Array.isArray(value),
  },
  owns: {
    fallback: () => [],
    expected: 'an array of objects with an informer',
    accepts: (value) => Array.isArray(value),
  },
  ownWritesTimeoutMs: duration(10_000),
  leaderElection: object('a LeaderElector'),
  ring: object('a ShardRing'),
  name: string(undefined),
  rateLimiter: object('a RateLimiter'),
  metrics: object('a Metrics'),
  onError: callback(),
  signal: object('an AbortSignal'),
  clock: object('a Clock'),
  random: callback(),
};

/** Throws `KUBEFLECT_OPTION_INVALID`. */
export function checkControllerOptions<
  T extends KubernetesObject,
  Watched extends Types,
  Owned extends Types,
>(options: ControllerOptions<T, Watched, Owned>): void {
  resolveOptions('runController', RULES, options);
  if (options.ring !== undefined) ringInformer(options.informer);
  for (const option of ['watches', 'owns'] as const) {
    for (const source of options[option] ?? []) checkSource(option, source);
  }
}
