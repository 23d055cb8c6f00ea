import { describe, expect, it } from 'vitest';
import type { InformerSnapshot, Snapshot } from '#dist/src/cli/top/sampler.js';
import { Screen, screenLines } from '#dist/src/cli/top/screen.js';

function snapshot(informer: Partial<InformerSnapshot>, atMs: number): Snapshot {
  return {
    atMs,
    informers: [
      {
        name: 'pods',
        state: 'syncing',
        objects: 0,
        total: 100_000,
        listed: 0,
        listedPerSecond: 0,
        leftMs: undefined,
        events: { add: 0, update: 0, delete: 0 },
        lagMs: undefined,
        bytes: 0,
        queued: 0,
        relists: 0,
        rejected: 0,
        lastError: undefined,
        ...informer,
      },
    ],
    workers: [{ load: 1, streams: 1000, restarts: 99 }],
    eventLoop: { p50: 0, p99: 12.3, max: 59_999 },
    memory: { rss: 12.3e9, heap: 4e6 },
  };
}

const SYNCING = snapshot({ listed: 40_000, listedPerSecond: 123_456, leftMs: 3_600_000 }, 5);
const HUGE = snapshot(
  {
    name: 'a-very-long-name-of-a-custom-resource.with-a-group.example.com in some-namespace',
    state: 'synced',
    objects: 12_345_678,
    events: { add: 99_999, update: 99_999, delete: 99_999 },
    lagMs: 86_399_000,
    bytes: 99e9,
    queued: 999_999,
    relists: 999_999,
    rejected: 99_999,
    lastError: 'KUBEFLECT_WATCH_FAILED: '.repeat(20),
  },
  360_000_000,
);

describe('the screen of kubeflect top', () => {
  it('fits into 80 columns, however large the numbers are', () => {
    for (const one of [SYNCING, HUGE]) {
      for (const line of screenLines(
        one,
        'kubeflect top pods deployments.apps replicasets.apps configmaps secrets nodes',
      )) {
        expect(line.length, line).toBeLessThanOrEqual(80);
      }
    }
  });

  it('keeps every number at the same position', () => {
    const lines = screenLines(SYNCING, 'kubeflect top pods');
    expect(screenLines(HUGE, 'kubeflect top pods')).toHaveLength(lines.length);
    const early = snapshot({ state: 'synced', events: { add: 1, update: 2, delete: 3 }, lagMs: 5 }, 1000);
    const late = snapshot(
      { state: 'synced', events: { add: 1000, update: 20_000, delete: 3 }, lagMs: 5000 },
      61_000,
    );
    const positions = (taken: Snapshot, word: string): number[] =>
      screenLines(taken, 't').map((line) => line.indexOf(word));
    for (const word of [
      'added',
      'changed',
      'deleted',
      'objects',
      'queued',
      'store',
      'resident',
      'p99',
      'max',
    ]) {
      expect(positions(late, word), word).toEqual(positions(early, word));
    }
  });

  it('shows the progress of the first list', () => {
    expect(screenLines(SYNCING, 't').join('\n')).toContain(
      '[########............]  40%  40,000 of 100,000  123,456/s',
    );
  });

  it('draws all lines on a terminal that reports no height', () => {
    const written: string[] = [];
    const terminal = { rows: 0, write: (text: string) => written.push(text) > 0 };
    const lines = screenLines(SYNCING, 't');
    new Screen(terminal as unknown as NodeJS.WriteStream).draw(lines);
    for (const line of lines) expect(written.join('')).toContain(line);
  });
});
