/**
 * `kubeflect/client-node`: client-node's informer API, implemented by an engine. client-node itself is never loaded.
 */

export type { KubeConfigLike } from './engine-lease.js';
export {
  ADD,
  CHANGE,
  CONNECT,
  DELETE,
  type DeleteCallback,
  ERROR,
  type ErrorCallback,
  type Informer,
  type KubernetesListObject,
  type ListCallback,
  type ListPromise,
  type ObjectCache,
  type ObjectCallback,
  UPDATE,
  type UpdateCallback,
} from './informer.js';
export { ListWatch, type WatchLike } from './list-watch.js';
export type { ListWatchOptions, MakeInformerOptions } from './list-watch-options.js';
export { makeInformer } from './make-informer.js';
