import { durationMs } from './arguments/option-values.js';
import type { OptionTable, ParsedArguments } from './arguments/parse-arguments.js';

/** For every command that runs until it is stopped. */
export const FOR_OPTION: OptionTable = {
  for: { value: 'duration', help: 'Stop after this time, e.g. 5s or 1m30s (default: at Ctrl-C)' },
};

/** Stops a command: after the time of its `--for` option, at Ctrl-C or at SIGTERM. */
export class StopSignal implements Disposable {
  readonly stopped: Promise<void>;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;

  /** Throws a `UsageError`. */
  constructor(parsed: ParsedArguments) {
    const afterMs = durationMs(parsed, 'for');
    if (Number.isFinite(afterMs)) this.#timer = setTimeout(this.stop, afterMs);
    process.once('SIGINT', this.stop);
    process.once('SIGTERM', this.stop);
    this.stopped = new Promise((resolve) => {
      this.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isStopped(): boolean {
    return this.signal.aborted;
  }

  readonly stop = (): void => this.#controller.abort();

  /** Removes the timer and the signal handlers. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    process.off('SIGINT', this.stop);
    process.off('SIGTERM', this.stop);
  }
}
