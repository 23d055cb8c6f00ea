/**
 * For how long one kind of error may be retried. Immutable: `after` and `shouldRetry` return the next value.
 *
 * The window opens with the first matching error and stays open for `maxDurationMs`; `minResetMs` without a matching
 * error closes it, so that the next one opens a new window. Other errors change nothing.
 */
export class RetryWithDeadline {
  readonly #maxDurationMs: number;
  readonly #minResetMs: number;
  readonly #firstErrorAtMs: number | undefined;
  readonly #lastErrorAtMs: number | undefined;

  constructor(maxDurationMs: number, minResetMs: number, firstErrorAtMs?: number, lastErrorAtMs?: number) {
    this.#maxDurationMs = maxDurationMs;
    this.#minResetMs = minResetMs;
    this.#firstErrorAtMs = firstErrorAtMs;
    this.#lastErrorAtMs = lastErrorAtMs;
  }

  /** A matching error happened. */
  after(nowMs: number): RetryWithDeadline {
    const isWindowOver = this.#lastErrorAtMs !== undefined && nowMs - this.#lastErrorAtMs >= this.#minResetMs;
    return this.#with(isWindowOver ? nowMs : (this.#firstErrorAtMs ?? nowMs), nowMs);
  }

  /** Whether the last error passed to `after` may be retried. If not, the window is closed. */
  shouldRetry(nowMs: number): { readonly isRetry: boolean; readonly next: RetryWithDeadline } {
    if (this.#maxDurationMs <= 0) return { isRetry: false, next: this };
    if (this.#firstErrorAtMs !== undefined && nowMs - this.#firstErrorAtMs <= this.#maxDurationMs) {
      return { isRetry: true, next: this };
    }
    return { isRetry: false, next: this.#with(undefined, undefined) };
  }

  #with(firstErrorAtMs: number | undefined, lastErrorAtMs: number | undefined): RetryWithDeadline {
    return new RetryWithDeadline(this.#maxDurationMs, this.#minResetMs, firstErrorAtMs, lastErrorAtMs);
  }
}
