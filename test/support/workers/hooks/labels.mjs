/** A hooks module: drops data, rejects what is marked as bad, indexes by the first letter of the name. */

export function transform(object) {
  const { data, ...rest } = object;
  return { ...rest, keys: Object.keys(data ?? {}) };
}

export function check(object) {
  return object.metadata.labels?.bad !== 'yes';
}

export const indexes = {
  firstLetter: (object) => [object.metadata.name[0]],
};
