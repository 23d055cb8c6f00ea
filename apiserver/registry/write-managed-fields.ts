import type { KubeObject } from '../control/kube-object.js';
import { trackManagedFields } from '../objects/managed-fields.js';
import type { Resource } from '../resources/resource.js';
import { metadataOf } from './metadata.js';
import type { ObjectAccess, WriteOptions } from './object-access.js';

/**
 * Sets the managedFields of a write. `received` is the client's object, `sent` the same with defaults: fields
 * that the server fills in afterwards have no manager.
 */
export function withManagedFields(
  access: ObjectAccess,
  resource: Resource,
  object: KubeObject,
  write: { received: KubeObject; sent: KubeObject; previous: KubeObject | undefined; options: WriteOptions },
): KubeObject {
  const { manager, subresource, isTracked } = write.options;
  const managedFields = isTracked
    ? metadataOf(write.received).managedFields
    : trackManagedFields({
        resource,
        previous: write.previous,
        next: write.sent,
        manager,
        time: access.environment.timestamp(),
        subresource,
      });
  const { managedFields: _before, ...metadata } = metadataOf(object);
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}
