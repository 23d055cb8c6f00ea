import type * as http from 'node:http';
import type { Clock } from '../../src/util/clock.js';
import type { ConnectionSettings } from '../../src/wire/connection-settings.js';
import type { StreamLimits } from '../../src/wire/stream-task.js';
import { type Outcome, Probe } from './probe.js';

/** A watch on which nothing arrives. */
export interface Asker {
  readonly agent: http.Agent;
  readonly connection: ConnectionSettings;
  readonly limits: Pick<StreamLimits, 'probeAfterMs' | 'probeMs'>;
  /** When it was last known to be alive, or was opened. */
  readonly silentSinceMs: number;
  /** It is dead, and why. Not called after `leave`. */
  onDead(message: string): void;
}

/** What is known of a server. */
interface Server {
  probe: Probe;
  /** Have asked, and are still silent: answered or not, a question does not outlive the last of them. */
  readonly askers: Set<Asker>;
  /** The last question was not answered. */
  isLost: boolean;
  /** When there was an answer again, after there had been none. */
  backSinceMs: number;
}

/**
 * Asks servers whether they are there, for watches that cannot tell by themselves: at most one question at a time, and at most one per
 * `probeAfterMs` for as long as there is an answer, for all watches of a thread that share an agent.
 *
 *     answered           the silent watches live
 *     not answered       they are dead
 *     answered again     those that have been silent since before are dead, too: they may have been opened, or lost, in between
 *     refused            nothing is known. A server that is gone, or a proxy that knows it, closes what is open; and where a new
 *                        connection is refused, a new watch would be as well
 */
export class Probes {
  readonly #clock: Clock;
  readonly #servers = new WeakMap<http.Agent, Server>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called for as long as the watch is silent; again and again makes no difference. */
  ask(asker: Asker): void {
    const server = this.#servers.get(asker.agent);
    const nowMs = this.#clock.now();
    if (server === undefined) {
      this.#servers.set(asker.agent, {
        probe: this.#probe(asker, nowMs),
        askers: new Set([asker]),
        isLost: false,
        backSinceMs: Number.NEGATIVE_INFINITY,
      });
    } else if (asker.silentSinceMs < server.backSinceMs) asker.onDead(SILENT_THROUGH);
    else if (!server.probe.isOver) server.askers.add(asker);
    else if (!server.probe.isHeard || nowMs - server.probe.startedAtMs >= asker.limits.probeAfterMs) {
      server.askers.add(asker);
      server.probe = this.#probe(asker, nowMs);
    }
  }

  /** The watch is over, or not silent any more. A question whose answer nobody waits for is given up, and so is an answer that has not ended. */
  leave(asker: Asker): void {
    const server = this.#servers.get(asker.agent);
    if (server?.askers.delete(asker) && server.askers.size === 0) server.probe.end();
  }

  #probe({ agent, connection, limits: { probeMs: withinMs } }: Asker, startedAtMs: number): Probe {
    return new Probe({
      agent,
      connection,
      withinMs,
      startedAtMs,
      clock: this.#clock,
      onOutcome: (outcome) => {
        const server = this.#servers.get(agent);
        if (server !== undefined) this.#conclude(server, outcome, withinMs);
      },
    });
  }

  #conclude(server: Server, outcome: Outcome, withinMs: number): void {
    const askers = [...server.askers];
    if (outcome === 'unknown') return;
    const isBack = outcome === 'answered' && server.isLost;
    server.isLost = outcome === 'silence';
    if (isBack) server.backSinceMs = this.#clock.now();
    if (outcome === 'silence') for (const asker of askers) asker.onDead(unanswered(withinMs));
    else if (isBack) for (const asker of askers) asker.onDead(SILENT_THROUGH);
  }
}

const SILENT_THROUGH = 'nothing arrived on the watch since the server did not answer for a while';

function unanswered(withinMs: number): string {
  return `nothing arrived on the watch, nor an answer from the server within ${withinMs} ms`;
}
