import type { Clock } from './clock.js';
import { publish } from './diagnostics.js';
import type { KubeflectError } from './errors.js';

/** Limits the warnings without an error handler: an event handler that always throws would print one per object. */
const WARNING_INTERVAL_MS = 1000;

export interface ErrorReporterOptions {
  readonly informerName: string;
  readonly clock: Clock;
  /** @default a process warning, at most one per second */
  readonly onError: ((error: KubeflectError) => void) | undefined;
  readonly onCount: (error: KubeflectError) => void;
}

/** Reports non-fatal errors: counts them, publishes them, and passes them to the error handler. Never throws. */
export class ErrorReporter {
  readonly #options: ErrorReporterOptions;
  #last: { readonly error: KubeflectError; readonly at: number } | undefined;
  #warnAgainAt = Number.NEGATIVE_INFINITY;

  constructor(options: ErrorReporterOptions) {
    this.#options = options;
  }

  /** The last error, and when it was reported. */
  get last(): { readonly error: KubeflectError; readonly at: number } | undefined {
    return this.#last;
  }

  /** `handler`, if present, is called in place of the error handler of the options. */
  report(error: KubeflectError, handler?: (error: KubeflectError) => void): void {
    const onError = handler ?? this.#options.onError;
    this.count(error);
    if (onError === undefined) {
      this.#warn(error);
      return;
    }
    // An error handler that throws or rejects has received the error already; a warning is all that is left.
    try {
      const result: unknown = onError(error);
      if (result instanceof Promise) result.catch(() => this.#warn(error));
    } catch {
      this.#warn(error);
    }
  }

  /** Counts and publishes an error that repeats one that was reported. */
  count(error: KubeflectError): void {
    const { informerName, clock, onCount } = this.#options;
    this.#last = { error, at: clock.now() };
    onCount(error);
    publish('kubeflect:error', () => ({ informer: informerName, error }));
  }

  #warn(error: KubeflectError): void {
    const now = this.#options.clock.now();
    if (now < this.#warnAgainAt) return;
    this.#warnAgainAt = now + WARNING_INTERVAL_MS;
    process.emitWarning(`${this.#options.informerName}: ${error.message}`, {
      type: 'KubeflectWarning',
      code: error.code,
    });
  }
}
