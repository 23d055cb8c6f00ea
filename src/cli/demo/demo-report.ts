import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Engine, EngineStats } from '../../index.js';
import { bytes, count } from '../terminal/figures.js';

/** How finely the delay of the event loop is measured. */
const RESOLUTION_MS = 1;

/** Lines about an engine with one informer, each about the time since the one before. */
export class DemoReport {
  readonly #engine: Engine;
  readonly #delay: IntervalHistogram;
  #before: { readonly atMs: number; readonly listed: number; readonly events: number };

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delay.enable();
    this.#before = { atMs: performance.now(), listed: 0, events: 0 };
  }

  /** While the first list is under way. */
  progress(total: number): string {
    const { stats, since } = this.#look();
    const [informer] = stats.informers;
    const listed = informer?.listed ?? 0;
    return [
      `listing ${count(listed)} of ${count(total)} pods`,
      `${count(since.listed)}/s`,
      ...this.#common(stats),
    ].join('  ');
  }

  live(): string {
    const { stats, since } = this.#look();
    const [informer] = stats.informers;
    return [
      `pods ${count(informer?.objects ?? 0)}`,
      `events ${count(since.events)}/s`,
      ...this.#common(stats),
      `store ${bytes(informer?.bytes ?? 0)}`,
    ].join('  ');
  }

  stop(): void {
    this.#delay.disable();
  }

  #look() {
    const stats = this.#engine.stats();
    const [informer] = stats.informers;
    const now = { atMs: performance.now(), listed: informer?.listed ?? 0, events: informer?.events ?? 0 };
    const seconds = (now.atMs - this.#before.atMs) / 1000;
    const since = {
      listed: (now.listed - this.#before.listed) / seconds,
      events: (now.events - this.#before.events) / seconds,
    };
    this.#before = now;
    return { stats, since };
  }

  #common({ workers }: EngineStats): string[] {
    // The histogram holds the time between two turns, which is the resolution if nothing is in the way.
    const delay = (nanoseconds: number): string =>
      `${Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS).toFixed(1)} ms`;
    const text = [
      `delay p50 ${delay(this.#delay.percentile(50))} max ${delay(this.#delay.max)}`,
      `memory ${bytes(process.memoryUsage.rss())}`,
      `workers ${workers.map(({ utilization }) => `${Math.round(utilization * 100)}%`).join(' ')}`,
    ];
    this.#delay.reset();
    return text;
  }
}
