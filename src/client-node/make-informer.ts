import type { KubernetesObject } from '../kube/object.js';
import type { KubeConfigLike } from './engine-lease.js';
import type { Informer, ListPromise, ObjectCache } from './informer.js';
import { ListWatch } from './list-watch.js';
import type { MakeInformerOptions } from './list-watch-options.js';

/** client-node's makeInformer, on an engine; not started yet. Throws `KUBEFLECT_OPTION_INVALID`. */
export function makeInformer<T extends KubernetesObject>(
  kubeconfig: KubeConfigLike,
  path: string,
  listPromiseFn: ListPromise<T>,
  labelSelector?: string,
  options: MakeInformerOptions = {},
): Informer<T> & ObjectCache<T> & Iterable<T> {
  const { fieldSelector, ...rest } = options;
  return new ListWatch(
    path,
    { config: kubeconfig },
    listPromiseFn,
    false,
    labelSelector,
    fieldSelector,
    rest,
  );
}
