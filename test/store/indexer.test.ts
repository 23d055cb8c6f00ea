import { describe, expect, it } from 'vitest';
import { Indexer } from '#dist/src/store/indexer.js';
import { ObjectEntry } from '#dist/src/store/object-entry.js';
import { entry, type Pod, pod } from '../support/objects/entries.js';

const byUser = (name: string, version: number, users: string): ObjectEntry<Pod> =>
  entry(name, version, { labels: { users } });
const users = (e: { object: Pod }): string[] => (e.object.metadata.labels?.['users'] ?? '').split(',');

const names = (entries: Iterable<{ name: string }>): string[] => [...entries].map((e) => e.name).sort();

describe('Indexer, store', () => {
  it('adds, updates, deletes, lists and replaces', () => {
    const indexer = new Indexer<Pod>();
    indexer.add(entry('a', 1));
    indexer.add(entry('b', 2));
    expect(indexer.update(entry('a', 3))?.resourceVersion).toBe('1');
    expect(indexer.get(entry('a', 99))?.resourceVersion).toBe('3');
    expect(indexer.getByKey('default/b')?.resourceVersion).toBe('2');
    expect(indexer.getByKey('default/c')).toBeUndefined();
    expect(indexer.listKeys()).toEqual(['default/a', 'default/b']);
    expect(names(indexer.list())).toEqual(['a', 'b']);

    indexer.delete(entry('a', 4));
    expect(indexer.has('default/a')).toBe(false);
    expect(indexer.delete(entry('a', 5))).toBeUndefined();

    indexer.replace([entry('c', 6), entry('d', 7)], '8');
    expect(indexer.size).toBe(2);
    expect(names(indexer.entries())).toEqual(['c', 'd']);
  });

  it('accepts names of Object.prototype', () => {
    const indexer = new Indexer<Pod>({ indexers: { constructor: 'spec.nodeName' } });
    const options = { namespace: 'constructor', nodeName: '__proto__' };
    indexer.add(entry('toString', 1, options));
    expect(indexer.getByKey('constructor/toString')?.name).toBe('toString');
    expect(indexer.indexKeys('constructor', '__proto__')).toEqual(['constructor/toString']);
    expect(indexer.getByKey('constructor')).toBeUndefined();
    expect(() => indexer.byIndex('hasOwnProperty', 'x')).toThrow(
      expect.objectContaining({ code: 'KUBEFLECT_INDEX_UNKNOWN' }),
    );
  });

  it('shows a staged replacement only when it is committed, with its indexes', () => {
    const indexer = new Indexer<Pod>({ indexers: { byNode: 'spec.nodeName' } });
    indexer.add(entry('a', 1, { nodeName: 'n1' }));
    const staged = indexer.stage();
    staged.put(entry('b', 2, { nodeName: 'n2' }));
    for (const put of staged.items.values()) staged.index(put);
    expect(names(indexer.list())).toEqual(['a']);
    expect(indexer.listIndexFuncValues('byNode')).toEqual(['n1']);
    indexer.commit(staged, '3');
    expect(names(indexer.list())).toEqual(['b']);
    expect(indexer.listIndexFuncValues('byNode')).toEqual(['n2']);
    expect(indexer.lastStoreSyncResourceVersion).toBe('3');
  });

  it('keeps indexers that were added while a replacement was staged', () => {
    const indexer = new Indexer<Pod>();
    const staged = indexer.stage();
    staged.put(entry('b', 2, { nodeName: 'n2' }));
    indexer.addIndexers({ byNode: 'spec.nodeName' });
    indexer.commit(staged, '3');
    expect(names(indexer.byIndex('byNode', 'n2'))).toEqual(['b']);
  });
});

describe('Indexer.lastStoreSyncResourceVersion', () => {
  it('follows adds, updates and deletions with an object, but not a plain deletion', () => {
    const indexer = new Indexer<Pod>();
    expect(indexer.lastStoreSyncResourceVersion).toBe('');
    indexer.add(entry('a', 1));
    expect(indexer.lastStoreSyncResourceVersion).toBe('1');
    indexer.update(entry('a', 2));
    expect(indexer.lastStoreSyncResourceVersion).toBe('2');
    indexer.delete(entry('a', 3));
    expect(indexer.lastStoreSyncResourceVersion).toBe('3');
    indexer.add(entry('b', 4));
    indexer.deleteByKey(entry('b', 5).key);
    expect(indexer.lastStoreSyncResourceVersion).toBe('4');
  });

  it('does not advance by objects without a version, but by a replace and a bookmark', () => {
    const indexer = new Indexer<Pod>();
    indexer.add(entry('a', 1));
    indexer.add(entry('b', ''));
    expect(indexer.lastStoreSyncResourceVersion).toBe('1');
    indexer.advance('7');
    expect(indexer.lastStoreSyncResourceVersion).toBe('7');
    indexer.replace([], '9');
    expect(indexer.lastStoreSyncResourceVersion).toBe('9');
  });

  it('never goes back except by a replace, and is compared as a string, not as a number', () => {
    const indexer = new Indexer<Pod>();
    indexer.advance('9007199254740993');
    indexer.advance('9007199254740992');
    expect(indexer.lastStoreSyncResourceVersion).toBe('9007199254740993');
    indexer.advance('10000000000000000000');
    indexer.advance('9999999999999999999');
    expect(indexer.lastStoreSyncResourceVersion).toBe('10000000000000000000');
    indexer.replace([], '5');
    expect(indexer.lastStoreSyncResourceVersion).toBe('5');
  });
});

describe('Indexer, indexes', () => {
  it('find entries by many values, after updates and deletions', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser: users } });
    indexer.add(byUser('one', 1, 'ernie'));
    indexer.add(byUser('two', 2, 'bert,oscar'));
    indexer.add(byUser('tre', 3, 'ernie,elmo'));
    expect(indexer.indexKeys('byUser', 'ernie')).toEqual(['default/one', 'default/tre']);
    expect(indexer.listIndexFuncValues('byUser').sort()).toEqual(['bert', 'elmo', 'ernie', 'oscar']);

    indexer.delete(byUser('tre', 4, ''));
    expect(names(indexer.byIndex('byUser', 'ernie'))).toEqual(['one']);
    expect(indexer.byIndex('byUser', 'elmo')).toEqual([]);

    indexer.update(byUser('two', 5, 'bert,ernie'));
    expect(names(indexer.byIndex('byUser', 'ernie'))).toEqual(['one', 'two']);
    expect(indexer.byIndex('byUser', 'oscar')).toEqual([]);
  });

  it('move entries between any sets of values', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser: users } });
    const steps = ['a,b', 'a', 'b', 'b', 'a,b,c', 'c,a', 'a,a'];
    for (const [i, step] of steps.entries()) {
      indexer.add(byUser('x', i + 1, step));
      expect(indexer.listIndexFuncValues('byUser').sort()).toEqual([...new Set(step.split(','))].sort());
      for (const value of step.split(',')) expect(indexer.indexKeys('byUser', value)).toEqual(['default/x']);
    }
  });

  it('return the union over the values of an entry', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser: users } });
    indexer.add(byUser('one', 1, 'ernie'));
    indexer.add(byUser('two', 2, 'bert,ernie'));
    indexer.add(byUser('tre', 3, 'elmo'));
    expect(names(indexer.index('byUser', byUser('other', 4, 'bert,ernie')))).toEqual(['one', 'two']);
  });

  it('leave no empty bucket behind, and keep the others', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser: users } });
    indexer.add(byUser('one', 1, 'only-one,shared'));
    indexer.add(byUser('two', 2, 'shared'));
    indexer.delete(byUser('one', 3, ''));
    expect(indexer.listIndexFuncValues('byUser')).toEqual(['shared']);
    expect(indexer.indexKeys('byUser', 'shared')).toEqual(['default/two']);
    indexer.deleteByKey(byUser('two', 4, '').key);
    expect(indexer.listIndexFuncValues('byUser')).toEqual([]);
  });

  it('find all entries of a value that many have', () => {
    const indexer = new Indexer<Pod>({ indexers: { byNode: 'spec.nodeName' } });
    const added = Array.from({ length: 20_000 }, (_, i) => entry(`pod-${i}`, i + 1, { nodeName: 'n1' }));
    for (const one of added) indexer.add(one);
    expect(indexer.byIndex('byNode', 'n1')).toHaveLength(20_000);
    indexer.add(entry('other', 20_001, { nodeName: 'n2' }));
    indexer.update(entry('pod-0', 20_002, { nodeName: 'n2' }));
    for (const one of added.slice(5)) indexer.delete(one);
    expect(names(indexer.byIndex('byNode', 'n1'))).toEqual(['pod-1', 'pod-2', 'pod-3', 'pod-4']);
    expect(names(indexer.byIndex('byNode', 'n2'))).toEqual(['other', 'pod-0']);
    for (const one of added.slice(0, 5)) indexer.delete(one);
    expect(indexer.listIndexFuncValues('byNode')).toEqual(['n2']);
  });

  it('are rebuilt by a replace', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser: users } });
    indexer.add(byUser('one', 1, 'ernie'));
    indexer.replace([byUser('two', 2, 'bert')], '2');
    expect(indexer.listIndexFuncValues('byUser')).toEqual(['bert']);
  });

  it('throw for an unknown name, but list no values for it', () => {
    const indexer = new Indexer<Pod>();
    for (const call of [
      () => indexer.byIndex('nope', 'x'),
      () => indexer.indexKeys('nope', 'x'),
      () => indexer.index('nope', entry('a', 1)),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code: 'KUBEFLECT_INDEX_UNKNOWN' }));
    }
    expect(indexer.listIndexFuncValues('nope')).toEqual([]);
  });

  it('can be added over stored entries; a name in use adds none of them', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser: users } });
    indexer.add(entry('a', 1, { nodeName: 'n1', labels: { users: 'ernie' } }));
    indexer.addIndexers({ byNode: 'spec.nodeName' });
    expect(names(indexer.byIndex('byNode', 'n1'))).toEqual(['a']);
    indexer.update(entry('a', 2, { nodeName: 'n2' }));
    expect(indexer.listIndexFuncValues('byNode')).toEqual(['n2']);
    expect(() => indexer.addIndexers({ fresh: 'kind', byUser: 'kind' })).toThrow(
      expect.objectContaining({ code: 'KUBEFLECT_INDEX_CONFLICT' }),
    );
    expect(indexer.indexerNames()).toEqual(['byUser', 'byNode']);
  });

  it('leave out an entry whose index function throws, report it, and keep everything else', () => {
    const reported: string[] = [];
    const indexer = new Indexer<Pod>({
      indexers: {
        picky: (e) => {
          if (e.name === 'bad') throw new Error('no');
          return ['fine'];
        },
        byNode: 'spec.nodeName',
      },
      onIndexError: (indexName, key) => void reported.push(`${indexName} ${key}`),
    });
    indexer.add(entry('good', 1, { nodeName: 'n1' }));
    indexer.add(entry('bad', 2, { nodeName: 'n1' }));
    expect(reported).toEqual(['picky default/bad']);
    expect(names(indexer.byIndex('picky', 'fine'))).toEqual(['good']);
    expect(names(indexer.byIndex('byNode', 'n1'))).toEqual(['bad', 'good']);
    expect(indexer.getByKey('default/bad')?.name).toBe('bad');
    indexer.delete(entry('bad', 3));
    expect(names(indexer.byIndex('byNode', 'n1'))).toEqual(['good']);
  });

  it('leave no stale key behind when an index function returns different values each time', () => {
    let calls = 0;
    const indexer = new Indexer<Pod>({ indexers: { impure: () => [`v${calls++}`] } });
    indexer.add(entry('a', 1));
    indexer.update(entry('a', 2));
    indexer.delete(entry('a', 3));
    expect(indexer.listIndexFuncValues('impure')).toEqual([]);
  });

  it('use the precomputed values of an entry, without reading its object', () => {
    const indexers = { byNode: 'spec.nodeName' };
    const indexer = new Indexer<Pod>({
      indexers: {
        byNode: () => {
          throw new Error('must not be called');
        },
      },
    });
    indexer.add(new ObjectEntry(pod('a', 1, { nodeName: 'n1' }), { indexers }));
    expect(names(indexer.byIndex('byNode', 'n1'))).toEqual(['a']);
    indexer.add(new ObjectEntry(pod('a', 2, { nodeName: 'n2' }), { indexers }));
    expect(indexer.listIndexFuncValues('byNode')).toEqual(['n2']);
  });
});
