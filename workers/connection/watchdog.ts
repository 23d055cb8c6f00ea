import type * as http from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, MAX_TIMER_MS } from '../../src/util/clock.js';
import type { ConnectionSettings } from '../../src/wire/connection-settings.js';
import type { StreamLimits } from '../../src/wire/stream-task.js';
import type { ServerProber, SilentWatch } from './server-prober.js';

/**
 * A silent watch is checked this many times before the server is probed, and before it counts as dead. Checks are
 * counted instead of time: a process that was suspended was not listening. The last byte before a silence is seen at
 * the next check; with a probe that is not answered, that makes 27 s by default.
 */
const CHECKS = 8;

export interface WatchdogOptions {
  readonly socket: Socket;
  readonly agent: http.Agent;
  readonly connection: ConnectionSettings;
  readonly limits: Pick<StreamLimits, 'probeAfterMs' | 'probeMs' | 'watchStallMs'>;
  readonly clock: Clock;
  readonly prober: ServerProber;
  /** Receives the reason. Called at most once, after the watchdog has stopped. */
  readonly onDead: (message: string) => void;
}

/**
 * Distinguishes a silent watch from a dead one. Any byte is a sign of life, including headers and incomplete events.
 * The watches of a thread are checked together, by one timer.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #silentWatch: SilentWatch & { silentSinceMs: number };
  readonly #checkMs: number;
  #bytesRead: number;
  #silentChecks = 0;
  readonly #timer: { cancel(): void };

  constructor(options: WatchdogOptions) {
    const { agent, clock, connection, limits, prober, socket } = options;
    const { probeAfterMs, watchStallMs } = limits;
    this.#options = options;
    this.#checkMs = Math.ceil(Math.min(watchStallMs / CHECKS, probeAfterMs / CHECKS, MAX_TIMER_MS));
    this.#bytesRead = socket.bytesRead;
    this.#silentWatch = {
      agent,
      connection,
      limits,
      silentSinceMs: clock.now(),
      onDead: (message) => {
        // Something may have arrived since the last check.
        if (socket.bytesRead === this.#bytesRead) this.#end(message);
      },
    };
    this.#timer = prober.timers.every(this.#checkMs, () => this.#check());
  }

  stop(): void {
    this.#timer.cancel();
    this.#options.prober.leave(this.#silentWatch);
  }

  #check(): void {
    const { clock, limits, prober, socket } = this.#options;
    if (socket.bytesRead !== this.#bytesRead) {
      this.#bytesRead = socket.bytesRead;
      this.#silentChecks = 0;
      this.#silentWatch.silentSinceMs = clock.now();
      prober.leave(this.#silentWatch);
      return;
    }
    this.#silentChecks++;
    const silentMs = this.#silentChecks * this.#checkMs;
    if (silentMs >= limits.watchStallMs) {
      this.#end(`nothing arrived on the watch for ${limits.watchStallMs} ms`);
    } else if (silentMs >= limits.probeAfterMs) prober.probe(this.#silentWatch);
  }

  #end(message: string): void {
    this.stop();
    this.#options.onDead(message);
  }
}
