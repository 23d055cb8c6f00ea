/** A hook that ends its thread on one object. */
export function transform(object) {
  if (object.metadata.labels?.deadly === 'yes') process.exit(3);
  return object;
}
