import type * as http from 'node:http';
import { type Clock, MAX_TIMER_MS } from '../../src/util/clock.js';
import type { ConnectionSettings } from '../../src/wire/connection-settings.js';
import { errnoOf } from '../stream-failure.js';
import { makeRequest } from './request.js';

/** Its response is tiny, and exempt from priority-and-fairness. */
const PATH = '/livez';

/** Limit for the response body, which is not used. */
const MAX_BYTES = 64 * 1024;

/** As for silent watches, checks are counted instead of time. */
const CHECKS = 4;

/** `unknown`: the connection was refused or reset, or the request could not be sent. */
export type ProbeOutcome = 'answered' | 'silence' | 'unknown';

export interface ServerProbeOptions {
  readonly agent: http.Agent;
  readonly connection: ConnectionSettings;
  readonly timeoutMs: number;
  readonly startedAtMs: number;
  readonly clock: Clock;
  /** Called once, and not before the constructor has returned; never after `end`. */
  readonly onOutcome: (outcome: ProbeOutcome) => void;
}

/**
 * One request that finds out whether a server responds. Any response counts, whatever its status. Redirects are not
 * followed.
 *
 * An idle socket of the pool is preferred to a new one: it is as old as the watches, and may be as dead. A probe that
 * fails on such a socket is sent again.
 */
export class ServerProbe {
  readonly startedAtMs: number;
  /** The outcome is `answered` or `unknown`. */
  hasOutcome = false;
  isFinished = false;
  readonly #options: ServerProbeOptions;
  readonly #abort = new AbortController();
  #request: http.ClientRequest | undefined;
  #checks = 0;
  #timer: { cancel(): void } | undefined;

  constructor(options: ServerProbeOptions) {
    this.#options = options;
    this.startedAtMs = options.startedAtMs;
    this.#scheduleCheck();
    this.#send();
  }

  /** Leaves no timer, and no socket except one that can be reused. */
  end(): void {
    this.isFinished = true;
    this.#timer?.cancel();
    this.#abort.abort();
    this.#request?.destroy();
  }

  #send(): void {
    const { agent, connection } = this.#options;
    // The only deadline is ours, which does not pass while the process is suspended.
    const socketOptions = { timeoutMs: MAX_TIMER_MS, signal: this.#abort.signal };
    // Does not throw: the watch was opened with the same settings.
    const request = makeRequest({ connection, path: PATH, accept: '*/*', socketOptions }, agent);
    this.#request = request;
    request.on('error', (error) => this.#onError(request, error));
    request.on('response', (response) => this.#onResponse(response));
    request.end();
  }

  #onError(request: http.ClientRequest, error: Error): void {
    if (this.isFinished || this.hasOutcome) this.end();
    else if (request.reusedSocket) this.#send();
    else if (errnoOf(error) === 'ETIMEDOUT') this.#reportSilence();
    else {
      this.end();
      this.#report('unknown');
    }
  }

  #onResponse(response: http.IncomingMessage): void {
    let bytes = 0;
    response.on('error', () => {});
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) this.end();
    });
    response.on('end', () => {
      this.#request = undefined;
      this.end();
    });
    response.on('close', () => this.end());
    if (!this.isFinished) this.#report('answered');
  }

  #report(outcome: ProbeOutcome): void {
    this.hasOutcome = true;
    this.#options.onOutcome(outcome);
  }

  #scheduleCheck(): void {
    const { clock, timeoutMs } = this.#options;
    this.#timer = clock.schedule(() => this.#check(), Math.min(Math.ceil(timeoutMs / CHECKS), MAX_TIMER_MS));
  }

  #check(): void {
    this.#checks++;
    if (this.#checks < CHECKS) this.#scheduleCheck();
    else if (this.hasOutcome) this.end();
    else this.#reportSilence();
  }

  #reportSilence(): void {
    this.end();
    this.#options.onOutcome('silence');
  }
}
