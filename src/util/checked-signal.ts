const ABORTED = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted');

/**
 * The signal of a controller, whose `aborted` and `throwIfAborted` call `check` first, which may abort it. Timers and
 * messages come late after the event loop was blocked; code that goes on before them sees the abort nevertheless.
 */
export function checkedSignal({ signal }: AbortController, check: () => void): AbortSignal {
  const isAborted = (): boolean => {
    if (ABORTED?.get?.call(signal) !== true) check();
    return ABORTED?.get?.call(signal) === true;
  };
  Object.defineProperties(signal, {
    aborted: { get: isAborted, configurable: true },
    throwIfAborted: {
      value: () => {
        if (isAborted()) throw signal.reason;
      },
      configurable: true,
      writable: true,
    },
  });
  return signal;
}
