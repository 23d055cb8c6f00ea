import { describe, expect, it } from 'vitest';
import { applyDelta } from '#dist/src/store/apply-delta.js';
import { Indexer } from '#dist/src/store/indexer.js';
import type { DeltaType } from '#dist/src/store/queue/delta.js';
import { entry, type Pod, type PodOptions } from '../support/objects/entries.js';

function apply(
  stored: readonly [number, PodOptions?] | undefined,
  type: DeltaType,
  version: number,
  options: PodOptions & { finalStateUnknown?: boolean } = {},
): { outcome: string; version: string | undefined; storeVersion: string } {
  const indexer = new Indexer<Pod>();
  if (stored) indexer.add(entry('a', stored[0], stored[1]));
  const change = applyDelta(indexer, {
    type,
    entry: entry('a', version, options),
    finalStateUnknown: options.finalStateUnknown ?? false,
  });
  return {
    outcome:
      typeof change === 'string'
        ? change
        : `${change.type}${change.type === 'update' && change.isResync ? ' resync' : ''}`,
    version: indexer.getByKey('default/a')?.resourceVersion,
    storeVersion: indexer.lastStoreSyncResourceVersion,
  };
}

describe('applyDelta', () => {
  it.each(['Added', 'Updated', 'Replaced', 'Sync'] as const)(
    'turns %s of an absent key into an add',
    (type) => {
      expect(apply(undefined, type, 5)).toEqual({ outcome: 'add', version: '5', storeVersion: '5' });
    },
  );

  it.each(['Added', 'Updated', 'Replaced'] as const)('turns %s of a present key into an update', (type) => {
    expect(apply([4], type, 5)).toEqual({ outcome: 'update', version: '5', storeVersion: '5' });
  });

  it('removes the key on a deletion, and advances the version of the store', () => {
    expect(apply([4], 'Deleted', 5)).toEqual({ outcome: 'delete', version: undefined, storeVersion: '5' });
    // Some servers send the last version of the object with its deletion.
    expect(apply([4], 'Deleted', 4)).toEqual({ outcome: 'delete', version: undefined, storeVersion: '4' });
  });

  it('does not advance the version of the store on a deletion found by a relist', () => {
    expect(apply([4], 'Deleted', 5, { finalStateUnknown: true })).toEqual({
      outcome: 'delete',
      version: undefined,
      storeVersion: '4',
    });
  });

  it('does not notify of a deletion of an absent key', () => {
    expect(apply(undefined, 'Deleted', 5)).toEqual({
      outcome: 'unknown',
      version: undefined,
      storeVersion: '5',
    });
  });

  it('never lets the version of a key go back', () => {
    for (const type of ['Added', 'Updated', 'Deleted'] as const) {
      expect(apply([10], type, 9)).toEqual({ outcome: 'stale', version: '10', storeVersion: '10' });
    }
  });

  it('applies a replaced item even if it is older', () => {
    expect(apply([10], 'Replaced', 9)).toMatchObject({ outcome: 'update', version: '9' });
  });

  it('changes nothing if the version is stored already, unless it is another object', () => {
    expect(apply([4], 'Updated', 4).outcome).toBe('unchanged');
    expect(apply([4], 'Replaced', 4).outcome).toBe('unchanged');
    expect(apply([4], 'Replaced', 4, { uid: 'recreated' }).outcome).toBe('update');
  });

  it('turns a sync of a stored entry into an update marked isResync', () => {
    expect(apply([4], 'Sync', 4).outcome).toBe('update resync');
  });

  it('prepares only what will be stored', () => {
    const indexer = new Indexer<Pod>();
    const prepared: string[] = [];
    const delta = (type: DeltaType, version: number) => ({
      type,
      entry: entry('a', version),
      finalStateUnknown: false,
    });
    const prepare = (e: ReturnType<typeof entry>): ReturnType<typeof entry> => {
      prepared.push(e.resourceVersion);
      return e;
    };
    for (const [type, version] of [
      ['Added', 5],
      ['Updated', 4],
      ['Updated', 5],
      ['Updated', 6],
      ['Sync', 6],
      ['Deleted', 7],
      ['Deleted', 8],
    ] as const) {
      applyDelta(indexer, delta(type, version), prepare as never);
    }
    expect(prepared).toEqual(['5', '6', '7']);
  });

  it('keeps the stored entry when prepare fails, but applies a deletion', () => {
    const indexer = new Indexer<Pod>();
    indexer.add(entry('a', 1));
    const delta = (type: DeltaType, version: number) => ({
      type,
      entry: entry('a', version),
      finalStateUnknown: false,
    });
    expect(applyDelta(indexer, delta('Updated', 2), () => undefined)).toBe('rejected');
    expect(indexer.getByKey('default/a')?.resourceVersion).toBe('1');
    expect(applyDelta(indexer, delta('Deleted', 3), () => undefined)).toMatchObject({
      type: 'delete',
      entry: { resourceVersion: '1' },
      before: { resourceVersion: '1' },
    });
    expect(applyDelta(indexer, delta('Added', 4), () => undefined)).toBe('rejected');
    expect(indexer.size).toBe(0);
  });
});
