import { randomUUID } from 'node:crypto';

/** The server's clock and randomness. The seed makes names and timeouts repeatable; times are real. */
export class Environment {
  readonly #startedMs = performance.now();
  /** Of the flow schema and the priority level of all requests; each cluster has its own. */
  readonly flowSchemaUid: string = randomUUID();
  readonly priorityLevelUid: string = randomUUID();
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Uniform in [0, 1). The generator is mulberry32. */
  readonly random = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };

  /** RFC 3339 in whole seconds, as metav1.Time is written. */
  timestamp(afterSeconds = 0): string {
    return new Date(Date.now() + afterSeconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  now(): Date {
    return new Date();
  }

  /** Milliseconds since the server started. */
  elapsedMs(): number {
    return performance.now() - this.#startedMs;
  }

  uid(): string {
    return randomUUID();
  }
}
