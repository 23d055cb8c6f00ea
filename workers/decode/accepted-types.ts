import type { ObjectType } from '../../src/kube/item-type.js';
import type { DecodingOptions } from '../../src/wire/stream-task.js';

/** What servers call objects of which only the metadata was requested. */
export const PARTIAL_METADATA: ObjectType = {
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
};

/** The types that objects of a stream may have. A server that does not know the metadata form sends full objects. */
export function acceptedTypes({ kind, apiVersion, form }: DecodingOptions): readonly ObjectType[] {
  const type = { kind, apiVersion };
  return form === 'metadata' ? [PARTIAL_METADATA, type] : [type];
}
