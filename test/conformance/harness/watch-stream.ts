/** The body of a running watch: its lines, its silence, its end. */

import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip, type Gunzip } from 'node:zlib';
import type { ApiResponse } from './client.js';
import type { KubeObject } from './objects.js';

export interface WatchEvent {
  readonly type: string;
  readonly object: KubeObject;
  /** The line as it was on the wire, without its newline. */
  readonly line: string;
}

/** Timeout for an expected event; a healthy server needs milliseconds. */
const EVENT_TIMEOUT_MS = 8_000;

type Arrival = { line: string } | { end: 'clean' } | { end: 'broken'; cause: Error };

export class WatchStream {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  /** Invariant: received but not yet consumed; an end is always last and stays. */
  readonly #arrived: Arrival[] = [];
  readonly #hangUp: () => void;
  #raw = '';
  #gzipMembers = 0;
  #rest = '';
  #wake: () => void = () => {};

  constructor(response: IncomingMessage, head: ApiResponse, hangUp: () => void) {
    this.status = head.status;
    this.headers = head.headers;
    this.#hangUp = hangUp;
    const decoder = new StringDecoder('utf8');
    const body = head.headers['content-encoding'] === 'gzip' ? this.#gunzip(response) : response;
    body.on('data', (bytes: Buffer) => this.#take(decoder.write(bytes)));
    body.on('end', () => this.#arrive({ end: 'clean' }));
    body.on('error', (cause) => this.#arrive({ end: 'broken', cause }));
    response.on('error', (cause) => this.#arrive({ end: 'broken', cause }));
  }

  /** How many gzip members have begun; 0 in a body that is not compressed. */
  get gzipMembers(): number {
    return this.#gzipMembers;
  }

  /** The complete body so far, decompressed, newlines included. */
  get raw(): string {
    return this.#raw;
  }

  /** The next event; fails when the stream ends or nothing comes in time. */
  async next(timeoutMs = EVENT_TIMEOUT_MS): Promise<WatchEvent> {
    const arrival = await this.#next(timeoutMs);
    if (arrival === undefined) throw new Error(`expected a watch event, none came in ${timeoutMs} ms`);
    if (!('line' in arrival)) throw new Error(`expected a watch event, the stream ended (${arrival.end})`);
    return parse(arrival.line);
  }

  /** The next event that is no bookmark: who allowed bookmarks may get one at any time. */
  async nextChange(): Promise<WatchEvent> {
    for (;;) {
      const event = await this.next();
      if (event.type !== 'BOOKMARK') return event;
    }
  }

  async take(count: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    while (events.length < count) events.push(await this.next());
    return events;
  }

  /** Events up to and including the first one that fits. */
  async until(fits: (event: WatchEvent) => boolean): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    for (;;) {
      const event = await this.next();
      events.push(event);
      if (fits(event)) return events;
    }
  }

  /** Everything up to the end, which must be a clean one. */
  async rest(): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    for (;;) {
      const first = await this.#next(EVENT_TIMEOUT_MS);
      if (first !== undefined && 'line' in first) {
        events.push(parse(first.line));
      } else {
        await this.expectEnd(0);
        return events;
      }
    }
  }

  /** Fails when anything but silence is seen for so long. */
  async expectSilence(durationMs: number): Promise<void> {
    const arrival = await this.#next(durationMs);
    if (arrival !== undefined) throw new Error(`expected silence, got ${JSON.stringify(arrival)}`);
  }

  /** Fails when any event but bookmarks is seen for so long. */
  async expectNoChange(durationMs: number): Promise<void> {
    const deadline = Date.now() + durationMs;
    for (;;) {
      const arrival = await this.#next(deadline - Date.now());
      if (arrival === undefined) return;
      if (!('line' in arrival) || parse(arrival.line).type !== 'BOOKMARK') {
        throw new Error(`expected no change, got ${JSON.stringify(arrival)}`);
      }
    }
  }

  /** Fails unless the server ends the stream, cleanly and without a further event. */
  async expectEnd(timeoutMs = EVENT_TIMEOUT_MS): Promise<void> {
    const arrival = await this.#next(timeoutMs);
    if (arrival === undefined)
      throw new Error(`expected the end of the stream, it was still open after ${timeoutMs} ms`);
    if (!('end' in arrival) || arrival.end !== 'clean') {
      throw new Error(`expected a clean end of the stream, got ${JSON.stringify(arrival)}`);
    }
  }

  close(): void {
    this.#hangUp();
  }

  async #next(timeoutMs: number): Promise<Arrival | undefined> {
    const deadline = Date.now() + timeoutMs;
    while (this.#arrived.length === 0) {
      const left = deadline - Date.now();
      if (left <= 0) return undefined;
      await new Promise<void>((resolve) => {
        // The deadline: an arrival ends the wait before.
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    const first = this.#arrived[0];
    return first !== undefined && 'end' in first ? first : this.#arrived.shift();
  }

  /** A member begins with the gzip magic and the method deflate, without flags. */
  #gunzip(response: IncomingMessage): Gunzip {
    response.on('data', (bytes: Buffer) => {
      this.#gzipMembers += bytes.toString('latin1').split('\u001f\u008b\u0008\u0000').length - 1;
    });
    return response.pipe(createGunzip());
  }

  #take(text: string): void {
    this.#raw += text;
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#arrive({ line });
  }

  #arrive(arrival: Arrival): void {
    this.#arrived.push(arrival);
    this.#wake();
  }
}

function parse(line: string): WatchEvent {
  const event = JSON.parse(line) as { type: string; object: KubeObject };
  return { type: event.type, object: event.object, line };
}
