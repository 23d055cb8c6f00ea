import type { MissingContent } from '../informer/object-for-update.js';
import type { KubernetesObject } from '../kube/object.js';
import type { ResolvedInformerOptions } from './informer-options.js';

type Options = Pick<
  ResolvedInformerOptions<KubernetesObject>,
  'metadataOnly' | 'hooks' | 'transform' | 'drop' | 'encoding'
>;

/** Which the API server keeps if an update does not have them. */
const KEPT_BY_SERVER = 'metadata.managedFields';

/**
 * What the objects of an informer lack, for `objectForUpdate`. `hasUnknownFields`: the protobuf schema lacks fields that
 * the server has sent.
 */
export function missingContent(options: Options, hasUnknownFields: boolean): MissingContent | undefined {
  if (options.metadataOnly) return { reason: 'the informer has only metadata (metadataOnly)', paths: [] };
  const paths = options.drop.filter((path) => path !== KEPT_BY_SERVER);
  if (paths.length > 0) return { reason: `the informer drops ${paths.join(', ')} (drop)`, paths };
  if (options.hooks !== undefined) {
    return { reason: 'the hooks of the informer may have changed it (hooks)', paths: [] };
  }
  if (options.transform !== undefined) {
    return { reason: 'the transform of the informer may have changed it (transform)', paths: [] };
  }
  if (options.encoding === 'protobuf' && hasUnknownFields) {
    return { reason: 'the protobuf schema lacks fields that the server has (encoding: protobuf)', paths: [] };
  }
  return undefined;
}
