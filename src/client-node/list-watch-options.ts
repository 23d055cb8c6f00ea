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
   * True: the collection is listed by the list function, on the main thread, as client-node does; its selectors must then agree with those
   * given here. False: by the engine, from the path and the selectors.
   * @default false
   */
  readonly useListFn?: boolean;
  /**
   * After the first list, the list function is called once, and reported if it leaves out objects that the path has: a selector that only
   * it knows. Costs a second list, on the main thread.
   * @default true if NODE_ENV is `development`
   */
  readonly checkListFn?: boolean;
  /** `string`: as on the wire. `date`: `Date`s where client-node's types promise them, made when an object is read. @default 'string' */
  readonly dates?: 'string' | 'date';
  /** An engine of your own, which you close; the KubeConfig is not used then. @default one for all informers of a KubeConfig */
  readonly engine?: Engine;
  /** client-node 2 has it. Not used: the engine has a back-off of its own. */
  readonly delayFn?: (ms: number) => Promise<void>;
}

export interface MakeInformerOptions extends ListWatchOptions {
  /** What client-node only has in `ListWatch`. */
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
