import type { KubeObject } from '../control/kube-object.js';
import { badRequest } from '../status-error.js';

/** ObjectMeta, as far as the server reads and writes it. */
export interface Metadata {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  managedFields?: unknown[];
  [field: string]: unknown;
}

/** The object's metadata, added if it has none. */
export function metadataOf(object: KubeObject): Metadata {
  object.metadata ??= {};
  return object.metadata as Metadata;
}

/** 400 unless the object's name and namespace are those of the path. */
export function checkIdentity(
  { name, namespace }: Metadata,
  named: Pick<Metadata, 'name' | 'namespace'>,
): void {
  if ((name ?? '') === '') {
    throw badRequest(
      `the name of the object (${named.name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (name !== named.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${named.name})`);
  }
  // The namespace of a cluster-scoped object is ignored.
  const isElsewhere = named.namespace !== undefined && (namespace ?? named.namespace) !== named.namespace;
  if (isElsewhere) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** True if its deletion was requested and no finalizers or grace period are left. */
export function isReadyToGo(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = metadataOf(object);
  const isHeld = (finalizers ?? []).length > 0 || isNamespaceHeld(object);
  return deletionTimestamp !== undefined && (deletionGracePeriodSeconds ?? 0) === 0 && !isHeld;
}

function isNamespaceHeld(object: KubeObject): boolean {
  const spec = object['spec'] as { finalizers?: unknown[] } | undefined;
  return object.kind === 'Namespace' && (spec?.finalizers ?? []).length > 0;
}
