/** A hook that ends its thread, for objects with a label. */
export function transform(object) {
  if (object.metadata.labels?.exits === 'yes') process.exit(3);
  return object;
}
