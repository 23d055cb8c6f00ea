export function transform(object) {
  if (object.metadata.name === 'throws') throw new Error('no transform for this one');
  if (object.metadata.name === 'renamed')
    return { ...object, metadata: { ...object.metadata, name: 'other' } };
  if (object.metadata.name === 'nothing') return undefined;
  if (object.metadata.name === 'promised') return Promise.reject(new Error('later'));
  if (object.metadata.name === 'unpackable') return { ...object, big: 1n };
  if (object.metadata.name === 'untyped') return { metadata: object.metadata };
  return { ...object, spec: { nodeName: object.spec?.nodeName ?? 'none' } };
}

export const indexes = {
  byNode: (object) => [object.spec.nodeName],
  constant: () => ['a', 'b'],
  broken: () => 'not an array',
  throwing: () => {
    throw new TypeError('no index');
  },
};

export function check(object) {
  if (object.metadata.name === 'refused') return false;
  if (object.metadata.name === 'undecided') return undefined;
  return true;
}
