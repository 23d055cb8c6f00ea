declare const keyBrand: unique symbol;

/** `namespace/name`, or `name` for objects without a namespace: client-go's MetaNamespaceKeyFunc. */
export type Key = string & { readonly [keyBrand]: true };

export function metaNamespaceKey(namespace: string | undefined, name: string): Key {
  return (namespace === undefined || namespace === '' ? name : `${namespace}/${name}`) as Key;
}
