import type { Engine, EngineStats } from '../../index.js';
import { EventLoopDelay } from '../event-loop-delay.js';
import { formatBytes, formatCount } from '../terminal/format.js';

/** Lines about an engine with one informer, each about the time since the previous one. */
export class DemoReport {
  readonly #engine: Engine;
  readonly #delay = new EventLoopDelay();
  #previous = { atMs: performance.now(), listed: 0, events: 0 };

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** During the first list. */
  progress(total: number): string {
    const { stats, perSecond } = this.#sample();
    const listed = stats.informers[0]?.listed ?? 0;
    return [
      `listing ${formatCount(listed)} of ${formatCount(total)} pods`,
      `${formatCount(perSecond.listed)}/s`,
      ...this.#processColumns(stats),
    ].join('  ');
  }

  /** After it. */
  live(): string {
    const { stats, perSecond } = this.#sample();
    const [informer] = stats.informers;
    return [
      `pods ${formatCount(informer?.objects ?? 0)}`,
      `events ${formatCount(perSecond.events)}/s`,
      ...this.#processColumns(stats),
      `store ${formatBytes(informer?.bytes ?? 0)}`,
    ].join('  ');
  }

  stop(): void {
    this.#delay.stop();
  }

  #sample() {
    const stats = this.#engine.stats();
    const { listed = 0, events = 0 } = stats.informers[0] ?? {};
    const previous = this.#previous;
    const now = { atMs: performance.now(), listed, events };
    const seconds = (now.atMs - previous.atMs) / 1000;
    this.#previous = now;
    const perSecond = {
      listed: (listed - previous.listed) / seconds,
      events: (events - previous.events) / seconds,
    };
    return { stats, perSecond };
  }

  #processColumns({ workers }: EngineStats): string[] {
    const { p50, max } = this.#delay.sample();
    return [
      `delay p50 ${p50.toFixed(1)} ms max ${max.toFixed(1)} ms`,
      `memory ${formatBytes(process.memoryUsage.rss())}`,
      `workers ${workers.map(({ utilization }) => `${Math.round(utilization * 100)}%`).join(' ')}`,
    ];
  }
}
