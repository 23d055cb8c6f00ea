import { Engine } from '../engine/engine.js';
import type { InformerOptions } from '../engine/informer-options.js';
import type { KubernetesObject } from '../kube/object.js';
import {
  callback,
  flag,
  object,
  oneOf,
  type Rules,
  resolveOptions,
  string,
  stringArray,
} from '../util/check-options.js';

export interface ListWatchOptions extends Pick<InformerOptions<KubernetesObject>, 'kind' | 'drop'> {
  /**
   * True: the list function lists the collection, on the main thread, as in client-node; it must use the same
   * selectors as the watch. False: the engine lists it, by the path and the selectors.
   * @default false
   */
  readonly useListFn?: boolean;
  /**
   * Calls the list function once after the first list, and reports if it returns fewer objects than the path, as with a
   * selector that only the function has. Costs a second list, on the main thread.
   * @default true if NODE_ENV is `development`
   */
  readonly checkListFn?: boolean;
  /**
   * `string`: timestamps are ISO 8601 strings, as on the wire. `date`: `Date`s where client-node's types have them,
   * made when an object is read.
   * @default 'string'
   */
  readonly dates?: 'string' | 'date';
  /**
   * Use this engine, which the program closes; the KubeConfig is ignored then.
   * @default one engine for all informers of a KubeConfig
   */
  readonly engine?: Engine;
  /** Accepted for client-node 2's signature, and ignored: the engine has its own backoff. */
  readonly delayFn?: (ms: number) => Promise<void>;
}

export interface MakeInformerOptions extends ListWatchOptions {
  /** client-node has it only in `ListWatch`. */
  readonly fieldSelector?: string;
}

export interface ResolvedListWatchOptions {
  readonly kind: string | undefined;
  readonly drop: readonly string[] | undefined;
  readonly useListFn: boolean;
  readonly checkListFn: boolean;
  readonly dates: 'string' | 'date';
  readonly engine: Engine | undefined;
  readonly delayFn: ((ms: number) => Promise<void>) | undefined;
}

const RULES: Rules<ResolvedListWatchOptions> = {
  kind: string(undefined),
  drop: { ...stringArray([], 'an array of paths'), fallback: () => undefined },
  useListFn: flag(false),
  checkListFn: { ...flag(false), fallback: () => process.env['NODE_ENV'] === 'development' },
  dates: oneOf('string', ['string', 'date']),
  engine: { ...object<Engine>('an Engine of kubeflect'), accepts: (value) => value instanceof Engine },
  delayFn: callback(),
};

/** Throws `KUBEFLECT_OPTION_INVALID`. */
export function resolveListWatchOptions(options: ListWatchOptions): ResolvedListWatchOptions {
  return resolveOptions('ListWatch', RULES, options);
}
