import { pathDropper } from '../kube/drop-path.js';
import { fieldMatcher } from '../kube/field-selector.js';
import { labelMatcher } from '../kube/label-selector.js';
import { isRecord, type KubernetesObject } from '../kube/object.js';
import { plainCopy } from '../kube/plain-copy.js';
import { invalidOption } from '../util/check-options.js';
import { KubeflectError } from '../util/errors.js';
import type { ResolvedInformerOptions } from './informer-options.js';

type Options = Pick<
  ResolvedInformerOptions<KubernetesObject>,
  'apiVersion' | 'kind' | 'labelSelector' | 'fieldSelector' | 'metadataOnly' | 'drop' | 'hooks'
>;

/**
 * What the cache of an informer makes of an object that the API answered: the same as a worker makes of it when the watch
 * brings it, for one object, on the main thread. Undefined if the selectors do not select it.
 *
 * Throws `KUBEFLECT_OBJECT_INVALID` for an object of another type, and `KUBEFLECT_OPTION_INVALID` if the informer has hooks,
 * which run in workers only.
 */
export function cachedForm<T extends KubernetesObject>(options: Options): (object: T) => T | undefined {
  const { apiVersion, kind, labelSelector = '', fieldSelector = '' } = options;
  const droppers = options.drop.map(pathDropper);
  const hasLabels = labelMatcher(labelSelector);
  const hasFields = fieldMatcher(fieldSelector);
  return (object) => {
    if (options.hooks !== undefined) {
      throw invalidOption('assume', 'an informer with hooks cannot show objects that no worker has read');
    }
    if (hasLabels === undefined || hasFields === undefined) {
      throw invalidOption('assume', 'the selectors of the informer cannot be evaluated');
    }
    checkType(object, options);
    const copy: KubernetesObject = { kind, apiVersion, ...plainCopy(object) };
    const { metadata = {} } = copy as { readonly metadata?: { readonly labels?: unknown } };
    if (!hasLabels(isRecord(metadata.labels) ? metadata.labels : {}) || !hasFields(copy)) return undefined;
    const kept = options.metadataOnly ? { kind, apiVersion, metadata } : copy;
    for (const drop of droppers) drop(kept);
    return kept as T;
  };
}

function checkType(object: KubernetesObject, { apiVersion, kind }: Options): void {
  const isSame =
    (object.kind === undefined || kind === '' || object.kind === kind) &&
    (object.apiVersion === undefined || object.apiVersion === apiVersion);
  if (isSame) return;
  throw new KubeflectError(
    'KUBEFLECT_OBJECT_INVALID',
    `assume: expected an object of ${apiVersion} ${kind || '(any kind)'}, received one of another type`,
  );
}
