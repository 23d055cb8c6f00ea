/** How long an item waits before it is tried again (client-go's TypedRateLimiter). */
export interface RateLimiter<T> {
  /** Milliseconds from now. Asking counts as a failure of the item. */
  when(item: T): number;
  /** The item succeeded, or is given up: its failures are forgotten. */
  forget(item: T): void;
  /** Failures since the item was last forgotten. */
  numRequeues(item: T): number;
}
