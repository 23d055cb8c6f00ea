import { createHash, type Hash } from 'node:crypto';

/** The trace of one run: a hash of every line, the last lines to show after a failure, and counters. */
export class Trace {
  readonly #hash: Hash = createHash('sha256');
  readonly #last: string[] = [];
  readonly #isPrinted: boolean;
  readonly #now: () => number;
  /** How often each fault was injected and each recovery path taken. */
  readonly counters = new Map<string, number>();

  constructor(now: () => number, isPrinted: boolean) {
    this.#now = now;
    this.#isPrinted = isPrinted;
  }

  line(message: string): void {
    const line = `${Math.round(this.#now())} ${message}`;
    this.#hash.update(line);
    this.#hash.update('\n');
    if (this.#isPrinted) console.log(line);
    this.#last.push(line);
    if (this.#last.length > 2000) this.#last.splice(0, 1000);
  }

  count(name: string): void {
    this.counters.set(name, (this.counters.get(name) ?? 0) + 1);
  }

  get tail(): readonly string[] {
    return this.#last.slice(-60);
  }

  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}
