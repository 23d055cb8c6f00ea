import { KubeflectError } from '../util/errors.js';
import type { KubernetesObject } from './object.js';

declare const keyBrand: unique symbol;

/** `namespace/name`, or `name` for objects without a namespace: client-go's MetaNamespaceKeyFunc. */
export type Key = string & { readonly [keyBrand]: true };

/** client-go's ObjectName. The namespace is empty for objects without one. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

export function metaNamespaceKey(namespace: string | undefined, name: string): Key {
  return (namespace === undefined || namespace === '' ? name : `${namespace}/${name}`) as Key;
}

/** The key of an object; throws `KUBEFLECT_OBJECT_INVALID` if it has no name. */
export function keyOfObject(object: KubernetesObject): Key {
  const { namespace, name } = nameOfObject(object);
  return metaNamespaceKey(namespace, name);
}

export function nameOfObject(object: KubernetesObject): ObjectName {
  const metadata = object.metadata;
  if (
    metadata === undefined ||
    metadata === null ||
    typeof metadata.name !== 'string' ||
    metadata.name === ''
  ) {
    throw new KubeflectError(
      'KUBEFLECT_OBJECT_INVALID',
      'expected an object with metadata.name, received one without; check what the list or watch function returns',
    );
  }
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}

/** The reverse of `metaNamespaceKey`: one or two parts, more is an error (`KUBEFLECT_KEY_INVALID`). */
export function splitMetaNamespaceKey(key: string): ObjectName {
  const parts = key.split('/');
  const [first = '', second] = parts;
  if (parts.length > 2) {
    throw new KubeflectError(
      'KUBEFLECT_KEY_INVALID',
      `expected a key of the form "namespace/name" or "name", received ${JSON.stringify(key)}`,
    );
  }
  return second === undefined ? { namespace: '', name: first } : { namespace: first, name: second };
}
