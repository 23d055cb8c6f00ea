/** A hook that never returns, for objects with a label. */
export function transform(object) {
  if (object.metadata.labels?.endless === 'yes') for (;;);
  return object;
}
