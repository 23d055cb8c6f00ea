import { describe, expect, it } from 'vitest';
import { SingleFileTracker } from '#dist/src/informer/handlers/single-file-tracker.js';

describe('SingleFileTracker', () => {
  it.each<[string, (t: SingleFileTracker) => void, boolean]>([
    ['nothing happened', () => {}, false],
    ['upstream synced, nothing started', (t) => t.upstreamSynced(), true],
    [
      'started, upstream synced',
      (t) => {
        t.start();
        t.upstreamSynced();
      },
      false,
    ],
    [
      'started and finished, upstream not synced',
      (t) => {
        t.start();
        t.finished();
      },
      false,
    ],
    [
      'finished, then upstream synced',
      (t) => {
        t.start();
        t.finished();
        t.upstreamSynced();
      },
      true,
    ],
    [
      'upstream synced, then finished',
      (t) => {
        t.start();
        t.upstreamSynced();
        t.finished();
      },
      true,
    ],
  ])('%s', (_name, act, expected) => {
    const tracker = new SingleFileTracker();
    act(tracker);
    expect(tracker.hasSynced).toBe(expected);
  });

  it('has synced after as many finishes as starts, reports it once, and stays synced', () => {
    let synced = 0;
    const tracker = new SingleFileTracker(() => void synced++);
    tracker.start(100);
    tracker.upstreamSynced();
    for (let i = 0; i < 99; i++) tracker.finished();
    expect(tracker.hasSynced).toBe(false);
    tracker.finished();
    expect(tracker.hasSynced).toBe(true);
    tracker.start();
    expect(tracker.hasSynced).toBe(true);
    tracker.finished();
    expect(() => tracker.finished()).toThrow('bug');
    expect(synced).toBe(1);
  });
});
