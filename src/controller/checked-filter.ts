import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import { HandlerError, type KubeflectError } from '../util/errors.js';

export type Filter<T extends KubernetesObject = KubernetesObject> = (entry: Entry<T>) => boolean;

/** A filter that never throws: an object on which it fails passes, and that is reported. */
export function checkedFilter(
  filter: Filter,
  handlerName: string,
  report: (error: KubeflectError) => void,
): Filter {
  return (entry) => {
    try {
      return filter(entry);
    } catch (cause) {
      const { key } = entry;
      const message = `the filter of "${handlerName}" failed on ${key}; the object is not left out`;
      report(new HandlerError('KUBEFLECT_HANDLER_FAILED', message, { handlerName, key, cause }));
      return true;
    }
  };
}
