import type { KubeObject } from '../control/kube-object.js';
import { orderCustom, orderTyped } from '../objects/field-order.js';
import { apiVersionOf, type Resource } from '../resources/resource.js';

/**
 * The object as it is stored and listed: typed objects without kind and apiVersion, custom ones with them, in
 * wire order.
 */
export function asItem(resource: Resource, object: KubeObject): KubeObject {
  if (resource.isCustom)
    return orderCustom(withType({ ...resource, version: resource.storageVersion }, object));
  const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
  return orderTyped(resource, item);
}

/** The complete object of a stored item. */
export function withType(resource: Resource, item: KubeObject): KubeObject {
  return { ...item, kind: resource.kind, apiVersion: apiVersionOf(resource) };
}
