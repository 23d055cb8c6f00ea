import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 1;

/** In milliseconds. */
export interface DelayPercentiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Measures how late the event loop runs its timers. */
export class EventLoopDelay {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** Since the last call. */
  sample(): DelayPercentiles {
    const histogram = this.#histogram;
    // Node records the time between two timers, which is the resolution if nothing is late.
    const delayMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    const percentiles = {
      p50: delayMs(histogram.percentile(50)),
      p99: delayMs(histogram.percentile(99)),
      max: delayMs(histogram.max),
    };
    histogram.reset();
    return percentiles;
  }

  stop(): void {
    this.#histogram.disable();
  }
}
