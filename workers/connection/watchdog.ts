import type * as http from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../src/util/clock.js';
import type { ConnectionSettings } from '../../src/wire/connection-settings.js';
import type { StreamLimits } from '../../src/wire/stream-task.js';
import type { Asker, Probes } from './probes.js';
import { MAX_TIMER_MS } from './timers.js';

/**
 * A silent watch is looked at so many times before the server is asked, and before it counts as dead. Looks are counted, not time: a
 * process that was suspended has not been listening. The byte after which all was silent is seen at the next look; with an answer that
 * does not come, that makes 27 s by default.
 */
const LOOKS = 8;

export interface WatchdogOptions {
  readonly socket: Socket;
  readonly agent: http.Agent;
  readonly connection: ConnectionSettings;
  readonly limits: Pick<StreamLimits, 'probeAfterMs' | 'probeMs' | 'watchStallMs'>;
  readonly clock: Clock;
  readonly probes: Probes;
  /** Why. Called at most once, and then everything has stopped. */
  readonly onDead: (message: string) => void;
}

/** Tells a watch that is silent from one that is dead. Any byte is a sign of life, headers and half events too. One timer per watch, none per chunk. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #asker: Asker & { silentSinceMs: number };
  readonly #lookMs: number;
  #bytesRead: number;
  #silentLooks = 0;
  #timer: { cancel(): void } | undefined;

  constructor(options: WatchdogOptions) {
    const { agent, clock, connection, limits, socket } = options;
    const { probeAfterMs, watchStallMs } = limits;
    this.#options = options;
    this.#lookMs = Math.ceil(Math.min(watchStallMs / LOOKS, probeAfterMs / LOOKS, MAX_TIMER_MS));
    this.#bytesRead = socket.bytesRead;
    this.#asker = {
      agent,
      connection,
      limits,
      silentSinceMs: clock.now(),
      onDead: (message) => {
        // Something may have arrived since the last look.
        if (socket.bytesRead === this.#bytesRead) this.#end(message);
      },
    };
    this.#lookAgain();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#options.probes.leave(this.#asker);
  }

  #lookAgain(): void {
    this.#timer = this.#options.clock.schedule(() => this.#look(), this.#lookMs);
  }

  #look(): void {
    const { clock, limits, probes, socket } = this.#options;
    this.#lookAgain();
    if (socket.bytesRead !== this.#bytesRead) {
      this.#bytesRead = socket.bytesRead;
      this.#silentLooks = 0;
      this.#asker.silentSinceMs = clock.now();
      probes.leave(this.#asker);
      return;
    }
    this.#silentLooks++;
    const silentMs = this.#silentLooks * this.#lookMs;
    if (silentMs >= limits.watchStallMs) {
      this.#end(`nothing arrived on the watch for ${limits.watchStallMs} ms`);
    } else if (silentMs >= limits.probeAfterMs) probes.ask(this.#asker);
  }

  #end(message: string): void {
    this.stop();
    this.#options.onDead(message);
  }
}
