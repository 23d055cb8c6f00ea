import type { Leadership, LeadershipTerm } from '../lease/leadership.js';
import type { Latch } from '../util/latch.js';

/**
 * What the controllers of a manager wait for: nothing is reconciled before all caches have synced, also those of other
 * controllers. With an elector, the manager starts it then: a standby that cannot take over must not be the leader.
 */
export function leadershipAfterSync(synced: Latch, elector: Leadership | undefined): Leadership {
  const always = elector ?? endlessTerm(synced);
  return {
    start: () => {},
    get term() {
      return always.term;
    },
    nextTerm: (signal) => always.nextTerm(signal),
  };
}

/** Without an election: one term that does not end. */
function endlessTerm(synced: Latch): Leadership {
  const term: LeadershipTerm = {
    number: 1,
    transitions: 0,
    signal: new AbortController().signal,
    isCurrent: true,
    begin: () => () => {},
  };
  return {
    start: () => {},
    get term() {
      return synced.isOpen ? term : undefined;
    },
    nextTerm: () =>
      synced.promise.then(
        () => term,
        () => undefined,
      ),
  };
}
