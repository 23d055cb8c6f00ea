/** A hook with an unhandled rejection, for objects with a label. */
export function transform(object) {
  if (object.metadata.labels?.rejects === 'yes') void Promise.reject(new Error('not handled'));
  return object;
}
