import { bar, count, time } from './figures.js';

const EVERY_MS = 200;
const WIDTH = 20;

/** How far a list has come, in a line that is drawn over and gone at the end. Draws nothing if standard error is no terminal. */
export class ProgressLine {
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #startedAtMs = performance.now();

  constructor(listed: () => number, plural: string, total: number | undefined) {
    if (!process.stderr.isTTY) return;
    this.#timer = setInterval(() => {
      const seconds = (performance.now() - this.#startedAtMs) / 1000;
      process.stderr.write(`\r\x1b[2K${progressText(listed(), total, listed() / seconds)} ${plural}`);
    }, EVERY_MS);
  }

  end(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    process.stderr.write('\r\x1b[2K');
  }
}

/** `[####......]  40%  40,000 of 100,000  12,000/s  5.0 s left`. */
export function progressText(listed: number, total: number | undefined, perSecond: number): string {
  if (total === undefined || total === 0) return `${count(listed)} listed  ${count(perSecond)}/s`;
  const share = Math.min(1, listed / total);
  const left = perSecond > 0 && share < 1 ? `  ${time(((total - listed) / perSecond) * 1000)} left` : '';
  return `[${bar(share, WIDTH)}] ${String(Math.floor(share * 100)).padStart(3)}%  ${count(listed)} of ${count(total)}  ${count(perSecond)}/s${left}`;
}
