import type { Clock } from '#dist/src/util/clock.js';

/** Back-offs are shorter; what ends a wait that is too long is not. */
const TIMEOUT_MS = 10_000;

/** A real clock on which nobody waits for long: delays below ten seconds take a part of their time. Timeouts are as they are. */
export function fastClock(times: number): Clock {
  return {
    now: () => performance.now(),
    schedule(callback, delayMs) {
      const timer = setTimeout(callback, delayMs < TIMEOUT_MS ? delayMs / times : delayMs);
      return { cancel: () => clearTimeout(timer) };
    },
    yield: () => new Promise((resolve) => setImmediate(resolve)),
  };
}
