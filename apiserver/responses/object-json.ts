import { encodeJson } from '../json.js';
import { partialMetadata } from '../objects/partial-metadata.js';
import { apiVersionOf, type Resource } from '../resources/resource.js';
import type { StoredObject } from '../storage/stored-object.js';

/** `{"kind":"Pod","apiVersion":"v1",`: typed objects are stored as list items, without it. */
export function typePrefix(resource: Resource): string {
  return `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},`;
}

/** The object as in GET and watch events: always with kind and apiVersion. */
export function fullObject(resource: Resource, stored: StoredObject): Buffer {
  if (resource.isCustom) return listItem(resource, stored);
  return Buffer.concat([Buffer.from(typePrefix(resource)), stored.item().subarray(1)]);
}

/** True if stored items can be sent unchanged. */
export function isStoredForm(resource: Resource): boolean {
  return resource.version === resource.storageVersion;
}

/** The object as an item of a list in this version. */
export function listItem(resource: Resource, stored: StoredObject): Buffer {
  if (isStoredForm(resource)) return stored.item();
  return Buffer.from(encodeJson({ ...stored.parse(), apiVersion: apiVersionOf(resource) }));
}

export function metadataObject(stored: StoredObject): Buffer {
  return Buffer.from(encodeJson(partialMetadata(stored.parse())));
}
