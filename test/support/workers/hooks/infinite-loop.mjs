/** A hook that never returns. */
export function transform() {
  for (;;);
}
