import type * as http from 'node:http';
import type { Clock } from '../../src/util/clock.js';
import type { ConnectionSettings } from '../../src/wire/connection-settings.js';
import { errnoOf } from '../stream-failure.js';
import { makeRequest } from './request.js';
import { MAX_TIMER_MS } from './timers.js';

/** Tiny, and exempt from the server's flow control. */
const PATH = '/livez';

/** Of an answer that nobody reads. */
const MOST_BYTES = 64 * 1024;

/** As for silent watches, looks are counted instead of time. */
const LOOKS = 4;

/** `unknown`: refused, reset, or not to be asked. */
export type Outcome = 'answered' | 'silence' | 'unknown';

export interface ProbeOptions {
  readonly agent: http.Agent;
  readonly connection: ConnectionSettings;
  readonly withinMs: number;
  readonly startedAtMs: number;
  readonly clock: Clock;
  /** Called once, and not before the constructor has returned; never after `end`. */
  readonly onOutcome: (outcome: Outcome) => void;
}

/**
 * One question to a server: is anybody there? Any answer will do, whatever it says. No redirect is followed.
 *
 * A kept socket is preferred to a new one: it is as old as the watches, and may share their fate. A question
 * that breaks on it is asked again.
 */
export class Probe {
  readonly startedAtMs: number;
  /** Somebody, or something, has said yes or no. */
  isHeard = false;
  isOver = false;
  readonly #options: ProbeOptions;
  readonly #abort = new AbortController();
  #request: http.ClientRequest | undefined;
  #looks = 0;
  #timer: { cancel(): void } | undefined;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.startedAtMs = options.startedAtMs;
    this.#lookAgain();
    this.#send();
  }

  /** Nothing is left of it: no timer, and no socket but one that can be used again. */
  end(): void {
    this.isOver = true;
    this.#timer?.cancel();
    this.#abort.abort();
    this.#request?.destroy();
  }

  #send(): void {
    const { agent, connection } = this.#options;
    // No deadline but ours, which does not pass while the process is suspended.
    const order = { timeoutMs: MAX_TIMER_MS, signal: this.#abort.signal };
    // It could be made for the watch, so it can be made for this.
    const request = makeRequest({ connection, path: PATH, accept: '*/*', order }, agent);
    this.#request = request;
    request.on('error', (error) => this.#onError(request, error));
    request.on('response', (response) => this.#onResponse(response));
    request.end();
  }

  #onError(request: http.ClientRequest, error: Error): void {
    if (this.isOver || this.isHeard) this.end();
    else if (request.reusedSocket) this.#send();
    else if (errnoOf(error) === 'ETIMEDOUT') this.#tellSilence();
    else {
      this.end();
      this.#hear('unknown');
    }
  }

  #onResponse(response: http.IncomingMessage): void {
    let bytes = 0;
    response.on('error', () => {});
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) this.end();
    });
    response.on('end', () => {
      this.#request = undefined;
      this.end();
    });
    response.on('close', () => this.end());
    if (!this.isOver) this.#hear('answered');
  }

  #hear(outcome: Outcome): void {
    this.isHeard = true;
    this.#options.onOutcome(outcome);
  }

  #lookAgain(): void {
    const { clock, withinMs } = this.#options;
    this.#timer = clock.schedule(() => this.#look(), Math.min(Math.ceil(withinMs / LOOKS), MAX_TIMER_MS));
  }

  #look(): void {
    this.#looks++;
    if (this.#looks < LOOKS) this.#lookAgain();
    else if (this.isHeard) this.end();
    else this.#tellSilence();
  }

  #tellSilence(): void {
    this.end();
    this.#options.onOutcome('silence');
  }
}
