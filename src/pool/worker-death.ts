/**
 * What happens when a worker thread dies or hangs:
 *
 *     error or exit event (thread.ts)    ──┐
 *                                          ├──▶ WorkerThread.#lose
 *     event loop is blocked (Heartbeat)  ──┘         │
 *                                                    ├──▶ its streams fail with KUBEFLECT_WORKER_LOST
 *                                                    ├──▶ the documents that it was decoding are counted (CrashLedger)
 *                                                    └──▶ another thread is started, with backoff (RestartBackoff)
 *
 * The reflector opens its watches again from the last applied version, WorkerListerWatcher its pages, on whichever
 * thread is ready: no relist is needed. A document on which three threads died is rejected unread from then on.
 */

import { exponentialDelayMs } from '../util/backoff.js';
import type { Clock } from '../util/clock.js';
import { WorkerError } from '../util/errors.js';
import {
  HEARTBEAT_HELD_KIB,
  HEARTBEAT_INTERVAL_MS,
  HEARTBEAT_SLOTS,
  HEARTBEAT_TICKS,
} from '../wire/messages.js';

/**
 * The heartbeat is checked this often within its timeout. A thread is hung after that many checks without a tick, not
 * after a time: a process that was suspended for a while is no reason to replace its threads.
 */
const HEARTBEAT_CHECKS = 4;

/** A thread ticks at least this often, however long the timeout is: with each tick it publishes how much it holds. */
const MAX_TICK_MS = 5000;

/** How often a thread ticks, and how often that is checked, for a thread that is replaced after `timeoutMs`. */
export function heartbeatIntervals(timeoutMs: number): { readonly tickMs: number; readonly checkMs: number } {
  const checkMs = timeoutMs / HEARTBEAT_CHECKS;
  // Twice as often, so that every check sees a tick.
  return { tickMs: Math.ceil(Math.min(checkMs / 2, MAX_TICK_MS)), checkMs };
}

/** The memory that a thread shares to show that its event loop turns. One per thread instance. */
export class Heartbeat {
  readonly memory: Int32Array = new Int32Array(
    new SharedArrayBuffer(HEARTBEAT_SLOTS * Int32Array.BYTES_PER_ELEMENT),
  );
  readonly #clock: Clock;
  #ticks = 0;
  #lastTickAtMs: number;
  #missedChecks = 0;

  constructor(clock: Clock, tickMs: number) {
    this.#clock = clock;
    Atomics.store(this.memory, HEARTBEAT_INTERVAL_MS, tickMs);
    this.#lastTickAtMs = clock.now();
  }

  get hasTicked(): boolean {
    return this.#currentTicks > 0;
  }

  /** Since the last tick that a check has seen. */
  get ageMs(): number {
    return this.#currentTicks === this.#ticks ? this.#clock.now() - this.#lastTickAtMs : 0;
  }

  /** Buffers that the thread holds, by its own account. */
  get heldBytes(): number {
    return Atomics.load(this.memory, HEARTBEAT_HELD_KIB) * 1024;
  }

  /** False if the event loop has not turned during the last `HEARTBEAT_CHECKS` checks. */
  check(): boolean {
    const ticks = this.#currentTicks;
    if (ticks === this.#ticks) {
      this.#missedChecks++;
      return this.#missedChecks < HEARTBEAT_CHECKS;
    }
    this.#ticks = ticks;
    this.#lastTickAtMs = this.#clock.now();
    this.#missedChecks = 0;
    return true;
  }

  get #currentTicks(): number {
    return Atomics.load(this.memory, HEARTBEAT_TICKS);
  }
}

export interface RestartBackoffOptions {
  /** Delay before the second restart in a row; the first is immediate. @default 250 */
  readonly initialMs?: number;
  /**
   * Maximum delay. Short enough that a stream waiting for its only thread does not time out meanwhile.
   * @default 10_000
   */
  readonly maxMs?: number;
  /** A thread that ran for this long is healthy: its restart is immediate again. @default 60_000 */
  readonly healthyMs?: number;
}

/** The delay before a thread is restarted: doubles while it keeps dying. One per worker. */
export class RestartBackoff {
  readonly #initialMs: number;
  readonly #maxMs: number;
  readonly #healthyMs: number;
  #failures = 0;

  constructor(options: RestartBackoffOptions = {}) {
    this.#initialMs = options.initialMs ?? 250;
    this.#maxMs = options.maxMs ?? 10_000;
    this.#healthyMs = options.healthyMs ?? 60_000;
  }

  /** `ranMs`: how long the thread ran; 0 if it could not start, which is never retried immediately. */
  next(ranMs: number): number {
    if (ranMs >= this.#healthyMs) this.#failures = 0;
    const doublings = ranMs === 0 ? this.#failures : this.#failures - 1;
    this.#failures++;
    return doublings < 0 ? 0 : exponentialDelayMs(this.#initialMs, doublings, this.#maxMs);
  }
}

/** One death may be a coincidence, and so may two. */
const QUARANTINE_DEATHS = 3;

/** With more documents than this, the oldest are forgotten. */
const MAX_DOCUMENTS = 1000;

/**
 * Counts on which documents threads have died, by fingerprint (src/wire/fingerprint.ts). A changed object is another
 * document.
 */
export class CrashLedger {
  readonly #deaths = new Map<string, number>();

  /** Fingerprints of documents that are not worth another thread. */
  get quarantined(): string[] {
    return [...this.#deaths]
      .filter(([, deaths]) => deaths >= QUARANTINE_DEATHS)
      .map(([fingerprint]) => fingerprint);
  }

  note(fingerprint: string): void {
    const deaths = (this.#deaths.get(fingerprint) ?? 0) + 1;
    this.#deaths.delete(fingerprint);
    this.#deaths.set(fingerprint, deaths);
    const [oldest] = this.#deaths.keys();
    if (this.#deaths.size > MAX_DOCUMENTS && oldest !== undefined) this.#deaths.delete(oldest);
  }
}

/** The error of a thread that ran, or might have. */
export function workerLost(worker: number, streams: number, cause: unknown): WorkerError {
  const message = `worker ${worker} was lost: ${reasonOf(cause)}; its ${streams} streams continue on other threads`;
  return new WorkerError('KUBEFLECT_WORKER_LOST', message, { worker, cause });
}

/** The error of a thread that could not start. */
export function workerStartFailed(worker: number, entry: URL, cause: unknown): WorkerError {
  const message =
    `worker ${worker} could not be started: ${reasonOf(cause)}; ` +
    `check that ${entry.href} exists, or set workers: 0`;
  return new WorkerError('KUBEFLECT_WORKER_START_FAILED', message, { worker, cause });
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
