/** A hook that allocates without end, for objects with a label. */
export function transform(object) {
  if (object.metadata.labels?.allocates !== 'yes') return object;
  const list = [];
  for (;;) list.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
}
