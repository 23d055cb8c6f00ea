import { randomUUID } from 'node:crypto';

/**
 * Time and randomness are injected into everything below the engine, so that a simulation can control both.
 * Only this file and the edges (cli, testing, workers) may use the real ones.
 */
export interface Clock {
  /** Milliseconds; only differences are meaningful. */
  now(): number;
  /** Calls `callback` once after `delayMs`. Cancelling twice, or too late, does nothing. */
  schedule(callback: () => void, delayMs: number): { cancel(): void };
  /** Yields to the event loop; resolves in a later macrotask. */
  yield(): Promise<void>;
}

/** The longest delay of a timer; Node fires longer ones at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** Milliseconds since 1970: for comparing with timestamps, never for measuring. */
export type WallTime = () => number;

export const systemWallTime: WallTime = Date.now;

/** Random, and different for every call and every process. */
export const systemId: () => string = randomUUID;

/** Uniform in [0, 1). */
export type Random = () => number;

export const systemRandom: Random = Math.random;

export const systemClock: Clock = {
  now: () => performance.now(),
  schedule(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
  yield: () => new Promise((resolve) => setImmediate(resolve)),
};

/** Milliseconds of the monotonic clock that all threads of the process share; `performance.now` is one of a thread. */
export function processTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** False if the promise takes longer than `timeoutMs`; rejects if it does. */
export async function settlesWithin(
  clock: Clock,
  timeoutMs: number,
  promise: Promise<unknown>,
): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(clock, timeoutMs, timer.signal).then(() => false);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    timer.abort();
  }
}

/** Resolves after `delayMs`, or at once when the signal aborts; never rejects. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const timer = clock.schedule(finish, delayMs);
    function finish(): void {
      timer.cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    }
    signal.addEventListener('abort', finish, { once: true });
  });
}
