import { formatProgress } from './format.js';

const INTERVAL_MS = 200;
const CLEAR_LINE = '\r\x1b[2K';

/** Shows the progress of a list in a line on standard error, which is cleared at the end. Needs a terminal. */
export class ProgressLine {
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(listed: () => number, plural: string, total: number | undefined) {
    if (!process.stderr.isTTY) return;
    const startedAtMs = performance.now();
    this.#timer = setInterval(() => {
      const perSecond = (listed() / (performance.now() - startedAtMs)) * 1000;
      process.stderr.write(`${CLEAR_LINE}${formatProgress(listed(), total, perSecond)} ${plural}`);
    }, INTERVAL_MS);
  }

  clear(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    process.stderr.write(CLEAR_LINE);
  }
}
