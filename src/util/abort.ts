import { setMaxListeners } from 'node:events';

/**
 * Calls back when the signal aborts, at once if it already has; returns a function that removes the listener. One
 * signal may stop hundreds of informers and handlers, which Node would report as a leak.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  setMaxListeners(0, signal);
  signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}
