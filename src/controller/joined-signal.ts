import { onAbort } from '../util/abort.js';
import { checkedSignal } from '../util/checked-signal.js';

/** A signal that aborts with the first of two, and looks at both when it is read. `release` detaches it from them. */
export function joinedSignal(
  first: AbortSignal,
  second: AbortSignal,
): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const signal = checkedSignal(controller, () => {
    for (const one of [first, second]) if (one.aborted) controller.abort(one.reason);
  });
  const releases = [first, second].map((one) => onAbort(one, () => controller.abort(one.reason)));
  return {
    signal,
    release: () => {
      for (const release of releases) release();
    },
  };
}
