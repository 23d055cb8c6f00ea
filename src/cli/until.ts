/** The end of a command that runs until then. */
export interface Until {
  readonly promise: Promise<void>;
  readonly signal: AbortSignal;
  /** Ends it now. */
  abort(): void;
  /** Lets go of the timer and the signal handlers. */
  cancel(): void;
}

/** Ends after this time, at Ctrl-C or at SIGTERM. */
export function until(forMs: number): Until {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const timer = Number.isFinite(forMs) ? setTimeout(end, forMs) : undefined;
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  return {
    promise: new Promise((resolve) => {
      controller.signal.addEventListener('abort', () => resolve(), { once: true });
    }),
    signal: controller.signal,
    abort: end,
    cancel() {
      clearTimeout(timer);
      process.off('SIGINT', end);
      process.off('SIGTERM', end);
    },
  };
}
