/** A hook that lets a promise reject that nobody waits for, on one object. */
export function transform(object) {
  if (object.metadata.labels?.floating === 'yes') void Promise.reject(new Error('nobody waits for this'));
  return object;
}
