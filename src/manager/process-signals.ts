/**
 * Calls back at the first of these signals, and then leaves them alone: the second one ends the process as Node does.
 * Returns a function that stops listening.
 */
export function onProcessSignal(signals: readonly NodeJS.Signals[], callback: () => void): () => void {
  const stop = (): void => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  const onSignal = (): void => {
    stop();
    callback();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return stop;
}
