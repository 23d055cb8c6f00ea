/** A hook that never returns, on one object. */
export function transform(object) {
  if (object.metadata.labels?.endless === 'yes') for (;;);
  return object;
}
