import type { ResourceEventHandler } from '../informer/handlers/event-handler.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import {
  callback,
  integer,
  invalidOption,
  object,
  type Rules,
  resolveOptions,
  string,
} from '../util/check-options.js';
import type { Clock } from '../util/clock.js';
import type { KubeflectError } from '../util/errors.js';
import type { Metrics } from '../util/metrics.js';
import type { RateLimiter } from './rate-limiters.js';

/** The part of a `SharedInformer` that a controller uses. */
export interface ControllerInformer<T extends KubernetesObject = KubernetesObject> {
  readonly name: string;
  start(): void;
  addEventHandler(
    handler: ResourceEventHandler<T>,
    options?: { readonly name?: string },
  ): { readonly synced: Promise<void>; remove(): Promise<void> };
}

/** Another collection, and the keys that its objects map to: client-go's and controller-runtime's `Watches`. */
export interface ControllerSource<T extends KubernetesObject = KubernetesObject> {
  readonly informer: ControllerInformer<T>;
  /** The keys to reconcile. Called with the state before a change and with the state after it. */
  keys(entry: Entry<T>): Iterable<string>;
}

export interface ReconcileContext {
  /** Aborted when the controller stops without draining. */
  readonly signal: AbortSignal;
  /** How often this key has failed since its last success. */
  readonly retries: number;
}

export interface ReconcileResult {
  /** Reconciles the key again after this time, although it succeeded. */
  readonly requeueAfterMs?: number;
}

/**
 * Brings the actual state closer to the desired state of this key's object, which may be deleted. A key is never
 * reconciled concurrently. If it throws, it is retried with exponential backoff.
 */
export type Reconcile = (
  key: string,
  context: ReconcileContext,
) => ReconcileResult | undefined | Promise<ReconcileResult | undefined> | Promise<void> | void;

export interface ControllerOptions<T extends KubernetesObject = KubernetesObject> {
  /** The informer whose keys are reconciled. Started if necessary. */
  readonly informer: ControllerInformer<T>;
  readonly reconcile: Reconcile;
  /** How many keys are reconciled at the same time. @default 1 */
  readonly concurrency?: number;
  /** Other collections whose changes map to keys of `informer`. Started if necessary. @default none */
  readonly watches?: readonly ControllerSource[];
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
}

type Supplied = { readonly [K in keyof Required<ControllerOptions>]: unknown };

const RULES: Rules<Supplied> = {
  informer: object('an informer'),
  reconcile: callback(),
  concurrency: integer(1, 1, 10_000),
  watches: {
    fallback: () => [],
    expected: 'an array of informers with keys',
    accepts: (value) => Array.isArray(value),
  },
  name: string(undefined),
  rateLimiter: object('a RateLimiter'),
  metrics: object('a Metrics'),
  onError: callback(),
  signal: object('an AbortSignal'),
  clock: object('a Clock'),
};

/** Throws `KUBEFLECT_OPTION_INVALID`. */
export function checkControllerOptions<T extends KubernetesObject>(options: ControllerOptions<T>): void {
  resolveOptions('runController', RULES, options);
  for (const name of ['informer', 'reconcile'] as const) {
    if (options[name] === undefined) {
      throw invalidOption('runController', `${name} must be ${RULES[name].expected}`);
    }
  }
}
