/** A hook that takes all memory there is, on one object. */
export function transform(object) {
  if (object.metadata.labels?.hungry !== 'yes') return object;
  const list = [];
  for (;;) list.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
}
