import { describe, expect, it } from 'vitest';
import { NAMESPACE_INDEX, namespaceIndexFunction } from '#dist/src/store/index-function.js';
import { Indexer } from '#dist/src/store/indexer.js';
import { Lister } from '#dist/src/store/lister.js';
import { SliceScheduler } from '#dist/src/util/slice-scheduler.js';
import { entry, type Pod } from '../support/objects/entries.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

function lister(): Lister<Pod> {
  const indexer = new Indexer<Pod>({
    indexers: { [NAMESPACE_INDEX]: namespaceIndexFunction, byNode: 'spec.nodeName' },
  });
  indexer.add(entry('a', 1, { namespace: 'x', labels: { app: 'web' }, nodeName: 'n1' }));
  indexer.add(entry('b', 2, { namespace: 'x', labels: { app: 'db' } }));
  indexer.add(entry('a', 3, { namespace: 'y', labels: { app: 'web', tier: 'front' } }));
  indexer.add(entry('node', 4, { namespace: '' }));
  return new Lister(indexer, new SliceScheduler());
}

const keys = (pods: Iterable<Pod>): string[] =>
  [...pods].map((p) => `${p.metadata.namespace}/${p.metadata.name}`);

describe('Lister', () => {
  it('gets by key, and returns undefined for an unknown one', () => {
    expect(lister().get('x/a')?.metadata.resourceVersion).toBe('1');
    expect(lister().get('node')?.metadata.resourceVersion).toBe('4');
    expect(lister().get('z/a')).toBeUndefined();
    expect(lister().entry('x/a')?.uid).toBe('uid-a');
  });

  it('lists everything, a subset by labels, and nothing', () => {
    expect(lister().list()).toHaveLength(4);
    expect(lister().list({ matchLabels: {} })).toHaveLength(4);
    expect(keys(lister().list({ matchLabels: { app: 'web' } }))).toEqual(['x/a', 'y/a']);
    expect(keys(lister().list({ matchLabels: { app: 'web', tier: 'front' } }))).toEqual(['y/a']);
    expect(lister().list({ matchLabels: { constructor: 'x' } })).toEqual([]);
  });

  it('lists and gets in a namespace', () => {
    const inX = lister().byNamespace('x');
    expect(keys(inX.list())).toEqual(['x/a', 'x/b']);
    expect(keys(inX.list({ matchLabels: { app: 'db' } }))).toEqual(['x/b']);
    expect(inX.get('b')?.metadata.name).toBe('b');
    expect(lister().byNamespace('z').list()).toEqual([]);
  });

  it('finds by index', () => {
    expect(keys(lister().byIndex('byNode', 'n1'))).toEqual(['x/a']);
  });

  it('scans a snapshot in slices', async () => {
    const clock = new VirtualClock();
    const indexer = new Indexer<Pod>();
    for (let i = 0; i < 2500; i++) indexer.add(entry(`p${i}`, i + 1));
    const scan = new Lister(indexer, new SliceScheduler({ clock })).scan();
    let count = 0;
    const scanned = (async () => {
      for await (const pod of scan) {
        if (count++ === 0) indexer.add(entry('late', 9999));
        expect(pod.metadata.name).not.toBe('late');
      }
    })();
    await clock.drain();
    await scanned;
    expect(count).toBe(2500);
    expect(clock.turns).toBe(2);
  });
});
