import type { Clock } from '../../util/clock.js';
import { credentialsFailure } from '../credentials-failure.js';

/** Rejects with `KUBEFLECT_CREDENTIALS_FAILED` if it takes longer. What comes later is ignored. */
export function withDeadline<T>(work: Promise<T>, limitMs: number, clock: Clock, who: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.schedule(
      () => reject(credentialsFailure(`${who} has not answered within ${limitMs} ms`)),
      limitMs,
    );
    void work.then(resolve, reject).finally(() => timer.cancel());
  });
}
