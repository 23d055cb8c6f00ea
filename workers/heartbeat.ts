import { HEARTBEAT_HELD_KIB, HEARTBEAT_INTERVAL_MS, HEARTBEAT_TICKS } from '../src/wire/messages.js';

const DEFAULT_INTERVAL_MS = 100;

let heartbeatTimer: NodeJS.Timeout | undefined;

/**
 * From now on the thread regularly publishes, in shared memory, that it is alive and how many bytes it holds. The pool
 * takes a thread whose ticks stop for blocked, and replaces it.
 */
export function startHeartbeat(cells: Int32Array, heldBytes: () => number): void {
  const tick = (): void => {
    Atomics.add(cells, HEARTBEAT_TICKS, 1);
    Atomics.store(cells, HEARTBEAT_HELD_KIB, heldBytes() >> 10);
  };
  clearInterval(heartbeatTimer);
  heartbeatTimer = setInterval(tick, Atomics.load(cells, HEARTBEAT_INTERVAL_MS) || DEFAULT_INTERVAL_MS);
  // The heartbeat alone does not keep a thread alive.
  heartbeatTimer.unref();
  tick();
}
