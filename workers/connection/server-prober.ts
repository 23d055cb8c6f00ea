import type * as http from 'node:http';
import type { Clock } from '../../src/util/clock.js';
import type { ConnectionSettings } from '../../src/wire/connection-settings.js';
import type { StreamLimits } from '../../src/wire/stream-task.js';
import { type ProbeOutcome, ServerProbe } from './server-probe.js';
import { SharedTimers } from './shared-timers.js';

/** A watch on which nothing arrives. */
export interface SilentWatch {
  readonly agent: http.Agent;
  readonly connection: ConnectionSettings;
  readonly limits: Pick<StreamLimits, 'probeAfterMs' | 'probeMs'>;
  /** When the last byte arrived, or the watch was opened. */
  readonly silentSinceMs: number;
  /** The watch is dead; the message has the reason. Not called after `leave`. */
  onDead(message: string): void;
}

/** What is known about a server. */
interface ServerState {
  probe: ServerProbe;
  /** The watches that wait for the outcome and are still silent: a probe does not outlive the last of them. */
  readonly watches: Set<SilentWatch>;
  /** The last probe was not answered. */
  isUnresponsive: boolean;
  /** When the server responded again, after it had been unresponsive. */
  responsiveSinceMs: number;
}

/**
 * Probes servers on behalf of watches that are silent: at most one probe at a time, and at most one per `probeAfterMs`
 * while the server responds, for all watches of a thread that share an agent.
 *
 *     answered           the silent watches are alive
 *     not answered       they are dead
 *     answered again     those that have been silent since before that are dead too: they may have been lost meanwhile
 *     refused            inconclusive. A server that is gone, or a proxy that knows it, closes open connections; and
 *                        where a new connection is refused, a new watch would be refused as well
 */
export class ServerProber {
  /** For the periodic checks of watches. */
  readonly timers: SharedTimers;
  readonly #clock: Clock;
  readonly #servers = new WeakMap<http.Agent, ServerState>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.timers = new SharedTimers(clock);
  }

  /** To be called repeatedly while the watch is silent; idempotent. */
  probe(watch: SilentWatch): void {
    const server = this.#servers.get(watch.agent);
    const nowMs = this.#clock.now();
    if (server === undefined) {
      this.#servers.set(watch.agent, {
        probe: this.#start(watch, nowMs),
        watches: new Set([watch]),
        isUnresponsive: false,
        responsiveSinceMs: Number.NEGATIVE_INFINITY,
      });
    } else if (watch.silentSinceMs < server.responsiveSinceMs) watch.onDead(SILENT_SINCE_OUTAGE);
    else if (!server.probe.isFinished) server.watches.add(watch);
    else if (!server.probe.hasOutcome || nowMs - server.probe.startedAtMs >= watch.limits.probeAfterMs) {
      server.watches.add(watch);
      server.probe = this.#start(watch, nowMs);
    }
  }

  /** The watch has ended, or is no longer silent. A probe for which no watch waits is cancelled. */
  leave(watch: SilentWatch): void {
    const server = this.#servers.get(watch.agent);
    if (server?.watches.delete(watch) && server.watches.size === 0) server.probe.end();
  }

  #start(
    { agent, connection, limits: { probeMs: timeoutMs } }: SilentWatch,
    startedAtMs: number,
  ): ServerProbe {
    return new ServerProbe({
      agent,
      connection,
      timeoutMs,
      startedAtMs,
      clock: this.#clock,
      onOutcome: (outcome) => {
        const server = this.#servers.get(agent);
        if (server !== undefined) this.#conclude(server, outcome, timeoutMs);
      },
    });
  }

  #conclude(server: ServerState, outcome: ProbeOutcome, timeoutMs: number): void {
    const watches = [...server.watches];
    if (outcome === 'unknown') return;
    const isResponsiveAgain = outcome === 'answered' && server.isUnresponsive;
    server.isUnresponsive = outcome === 'silence';
    if (isResponsiveAgain) server.responsiveSinceMs = this.#clock.now();
    if (outcome === 'silence') for (const watch of watches) watch.onDead(unanswered(timeoutMs));
    else if (isResponsiveAgain) for (const watch of watches) watch.onDead(SILENT_SINCE_OUTAGE);
  }
}

const SILENT_SINCE_OUTAGE = 'nothing has arrived on the watch since the server was unresponsive for a while';

function unanswered(timeoutMs: number): string {
  return `nothing arrived on the watch, and the server did not answer a probe within ${timeoutMs} ms`;
}
