/** PartialObjectMetadata: only the metadata of an object, in the field order of built-in kinds. */

import type { KubeObject } from '../control/kube-object.js';
import { orderMetadata } from './field-order.js';

export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

const META_API_VERSION = 'meta.k8s.io/v1';

export function partialMetadata(object: KubeObject): KubeObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: META_API_VERSION,
    metadata: orderMetadata(object.metadata ?? {}),
  };
}

export function partialMetadataList(
  objects: readonly KubeObject[],
  list: ListMetadata,
): Record<string, unknown> {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: META_API_VERSION,
    metadata: listMetadata(list),
    items: objects.map(partialMetadata),
  };
}

/** In the field order of the wire. */
export function listMetadata(list: ListMetadata): Record<string, unknown> {
  return {
    resourceVersion: list.resourceVersion,
    ...(list.continue ? { continue: list.continue } : {}),
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
  };
}
