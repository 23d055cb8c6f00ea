import type { Clock } from '../../util/clock.js';
import type { ReflectorReport } from '../reflector-report.js';

/** client-go's threshold: anything shorter is not worth a word. */
const LONG_LIST_MS = 10_000;

/** Remembers when the steps of a list were done, for the one list in a thousand that takes too long. */
export class ListTrace {
  readonly #clock: Clock;
  readonly #startedAtMs: number;
  readonly #steps: { readonly name: string; readonly atMs: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAtMs = clock.now();
  }

  step(name: string): void {
    this.#steps.push({ name, atMs: this.#clock.now() - this.#startedAtMs });
  }

  reportIfLong(report: (report: ReflectorReport) => void): void {
    const durationMs = this.#clock.now() - this.#startedAtMs;
    if (durationMs < LONG_LIST_MS) return;
    report({ type: 'long-list', level: 'warning', durationMs, steps: this.#steps });
  }
}
