import { createHash, type Hash } from 'node:crypto';

/** What happened in one schedule: a running hash of every line, the last lines for a failure, and counters. */
export class Trace {
  readonly #hash: Hash = createHash('sha256');
  readonly #last: string[] = [];
  readonly #isPrinted: boolean;
  readonly #now: () => number;
  /** How often each fault was injected and each recovery path taken. */
  readonly sometimes = new Map<string, number>();

  constructor(now: () => number, isPrinted: boolean) {
    this.#now = now;
    this.#isPrinted = isPrinted;
  }

  line(text: string): void {
    const line = `${Math.round(this.#now())} ${text}`;
    this.#hash.update(line);
    this.#hash.update('\n');
    if (this.#isPrinted) console.log(line);
    this.#last.push(line);
    if (this.#last.length > 2000) this.#last.splice(0, 1000);
  }

  count(name: string): void {
    this.sometimes.set(name, (this.sometimes.get(name) ?? 0) + 1);
  }

  get tail(): readonly string[] {
    return this.#last.slice(-60);
  }

  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}
