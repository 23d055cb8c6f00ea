import { encodeJson } from '../json.js';
import { toPartialMetadata } from '../objects/partial-metadata.js';
import { apiVersionOf, type Resource } from '../resources/resource.js';
import type { StoredObject } from '../storage/stored-object.js';

/** `{"kind":"Pod","apiVersion":"v1",`: typed objects are stored as list items, without it. */
function typePrefix(resource: Resource): string {
  return `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},`;
}

/** The object as GET and watch events show it: always with kind and apiVersion. */
export function fullObject(resource: Resource, stored: StoredObject): Buffer {
  const item = stored.item();
  return resource.isCustom ? item : Buffer.concat([Buffer.from(typePrefix(resource)), item.subarray(1)]);
}

export function metadataObject(stored: StoredObject): Buffer {
  return Buffer.from(encodeJson(toPartialMetadata(stored.parse())));
}
