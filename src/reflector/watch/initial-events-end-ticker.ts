import type { Clock } from '../../util/clock.js';
import type { ReflectorReport } from '../reflector-report.js';

/** client-go's interval. */
const TICK_MS = 10_000;

/** While a streaming list is open, says every ten seconds that it has been silent, if it has. */
export class InitialEventsEndTicker {
  readonly #clock: Clock;
  readonly #report: (report: ReflectorReport) => void;
  readonly #startedAtMs: number;
  #lastEventAtMs: number | undefined;
  #timer: { cancel(): void } | undefined;

  constructor(clock: Clock, report: (report: ReflectorReport) => void) {
    this.#clock = clock;
    this.#report = report;
    this.#startedAtMs = clock.now();
    this.#arm();
  }

  observeEvent(): void {
    this.#lastEventAtMs = this.#clock.now();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer = this.#clock.schedule(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    this.#arm();
    const nowMs = this.#clock.now();
    const sinceLastEventMs = this.#lastEventAtMs === undefined ? undefined : nowMs - this.#lastEventAtMs;
    if (sinceLastEventMs !== undefined && sinceLastEventMs < TICK_MS) return;
    this.#report({
      type: 'waiting-for-initial-events-end',
      level: 'warning',
      waitedMs: nowMs - this.#startedAtMs,
      sinceLastEventMs,
    });
  }
}
