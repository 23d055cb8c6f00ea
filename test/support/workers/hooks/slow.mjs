/** Takes 20 ms for each object. */
export function transform(object) {
  const endMs = performance.now() + 20;
  while (performance.now() < endMs);
  return object;
}
