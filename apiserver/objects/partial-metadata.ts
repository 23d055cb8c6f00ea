/** PartialObjectMetadata: only the metadata of an object, in the field order of built-in kinds. */

import type { KubeObject } from '../control/kube-object.js';
import { orderMetadata } from './field-order.js';

export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
  readonly shardInfo?: { readonly selector: string } | undefined;
}

export function partialMetadata(object: KubeObject): KubeObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: orderMetadata(object.metadata ?? {}),
  };
}

/** In the field order of the wire. */
export function listMetadata(list: ListMetadata): Record<string, unknown> {
  return {
    resourceVersion: list.resourceVersion,
    ...(list.continue ? { continue: list.continue } : {}),
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
    ...(list.shardInfo === undefined ? {} : { shardInfo: list.shardInfo }),
  };
}
