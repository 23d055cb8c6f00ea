import type { Clock } from '#dist/src/clock.js';

/** A real clock that goes so many times as fast, so that nobody waits for back-offs. */
export function hastyClock(times: number): Clock {
  return {
    now: () => performance.now() * times,
    schedule(callback, delayMs) {
      const timer = setTimeout(callback, delayMs / times);
      return { cancel: () => clearTimeout(timer) };
    },
    yield: () => new Promise((resolve) => setImmediate(resolve)),
  };
}
