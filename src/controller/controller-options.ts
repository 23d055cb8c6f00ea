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

/** What a controller needs of an informer; every `SharedInformer` has it. */
export interface ControllerInformer<T extends KubernetesObject = KubernetesObject> {
  readonly name: string;
  start(): void;
  addEventHandler(
    handler: ResourceEventHandler<T>,
    options?: { readonly name?: string },
  ): { readonly synced: Promise<void>; remove(): Promise<void> };
}

/** A collection besides the controller's own: which keys its objects concern. */
export interface ControllerSource<T extends KubernetesObject = KubernetesObject> {
  readonly informer: ControllerInformer<T>;
  /** Asked of the state before a change and of the state after it. */
  keys(entry: Entry<T>): Iterable<string>;
}

export interface ReconcileContext {
  /** Aborted when the controller stops and does not drain. */
  readonly signal: AbortSignal;
  /** How often this key has failed since it last succeeded. */
  readonly retries: number;
}

export interface ReconcileResult {
  /** To be called again for this key after this time, although nothing failed. */
  readonly requeueAfterMs?: number;
}

/**
 * Brings the world closer to what the object of this key wants; the object may be gone. Is never called for one key twice at a time, and is
 * called again, later and later, if it throws.
 */
export type Reconcile = (
  key: string,
  context: ReconcileContext,
) => ReconcileResult | undefined | Promise<ReconcileResult | undefined> | Promise<void> | void;

export interface ControllerOptions<T extends KubernetesObject = KubernetesObject> {
  /** Whose keys are reconciled. Started if it is not. */
  readonly informer: ControllerInformer<T>;
  readonly reconcile: Reconcile;
  /** How many keys are reconciled at the same time. @default 1 */
  readonly concurrency?: number;
  /** Collections whose changes concern keys of `informer`. Started if they are not. @default none */
  readonly watches?: readonly ControllerSource[];
  /** In metrics and errors. @default the informer's */
  readonly name?: string;
  /** @default `defaultControllerRateLimiter` */
  readonly rateLimiter?: RateLimiter<string>;
  /** Of the queue and of `kubeflect_reconciles_total`: `engine.metrics`. @default its own, which nobody reads */
  readonly metrics?: Metrics;
  /** Told of every reconcile that failed. @default a process warning, at most one per second */
  readonly onError?: (error: KubeflectError) => void;
  /** Aborting stops the controller. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

type Given = { readonly [K in keyof Required<ControllerOptions>]: unknown };

const RULES: Rules<Given> = {
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
