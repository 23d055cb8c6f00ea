/**
 * An object without `creationTimestamp: null`. Up to 1.33 an API server sends that in JSON for the metadata of a pod template
 * and other metadata without a creation time; protobuf has nothing in its place.
 */
export function withoutNullTimes<T>(object: T): T {
  if (Array.isArray(object)) return object.map(withoutNullTimes) as T;
  if (typeof object !== 'object' || object === null) return object;
  const kept = Object.entries(object).filter(([key, value]) => key !== 'creationTimestamp' || value !== null);
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutNullTimes(value)])) as T;
}
