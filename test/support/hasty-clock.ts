import type { Clock } from '#dist/src/clock.js';

/** No back-off is longer. What is, is patience with a server or a thread, which a loaded machine may need. */
const LONGEST_BACKOFF_MS = 35_000;

/** A real clock that goes so many times as fast, so that nobody waits for back-offs. Patience is as long as ever. */
export function hastyClock(times: number): Clock {
  return {
    now: () => performance.now() * times,
    schedule(callback, delayMs) {
      const timer = setTimeout(callback, delayMs > LONGEST_BACKOFF_MS ? delayMs : delayMs / times);
      return { cancel: () => clearTimeout(timer) };
    },
    yield: () => new Promise((resolve) => setImmediate(resolve)),
  };
}
