import { expect, it } from 'vitest';
import { NamespacedStore } from '#dist/src/engine/namespaced-store.js';
import type { Entry } from '#dist/src/store/entry.js';
import { ObjectEntry } from '#dist/src/store/object-entry.js';
import type { ReflectorStore } from '#dist/src/store/reflector-store.js';

const entry = (namespace: string, name: string, resourceVersion: string): Entry =>
  new ObjectEntry({ metadata: { namespace, name, uid: name, resourceVersion } });

/** A store that applies at once, and remembers what it was told. */
function world(namespaces: string[]) {
  const items = new Map<string, Entry>();
  const log: string[] = [];
  const store: ReflectorStore<object> = {
    add: (added) => {
      log.push(`add ${added.key}`);
      items.set(added.key, added);
    },
    update: (updated) => void items.set(updated.key, updated),
    delete: (deleted) => void items.delete(deleted.key),
    replace: (entries, resourceVersion, unreadable) => {
      const next = [...entries];
      log.push(
        `replace ${next.map(({ key }) => key).sort()} at ${resourceVersion}, not ${[...(unreadable ?? [])]}`,
      );
      items.clear();
      for (const one of next) items.set(one.key, one);
    },
    resync: () => void log.push('resync'),
    bookmark: (version) => void log.push(`bookmark ${version}`),
  };
  const shared = new NamespacedStore(store, namespaces, () => items.values());
  const views = Object.fromEntries(namespaces.map((namespace) => [namespace, shared.view(namespace)]));
  return { views, items, log };
}

it('applies the first lists together, and then the changes that arrived meanwhile', () => {
  const { views, log } = world(['a', 'b']);
  views['a']?.replace([entry('a', 'x', '5')], '10', new Set(['a/bad']));
  views['a']?.add(entry('a', 'y', '11'));
  views['a']?.bookmark?.('12');
  expect(log).toEqual([]);
  views['b']?.replace([entry('b', 'x', '3')], '9', new Set(['b/bad']));
  expect(log).toEqual(['replace a/x,b/x at 10, not a/bad,b/bad', 'add a/y', 'bookmark 12']);
});

it('replaces only objects of the namespace, and never decreases the version', () => {
  const { views, items, log } = world(['a', 'b']);
  views['a']?.replace([entry('a', 'x', '5')], '10');
  views['b']?.replace([entry('b', 'x', '3')], '20');
  log.length = 0;
  views['b']?.add(entry('b', 'y', '21'));
  views['a']?.replace([entry('a', 'z', '15')], '15');
  expect([...items.keys()].sort()).toEqual(['a/z', 'b/x', 'b/y']);
  expect(log).toEqual(['add b/y', 'replace a/z,b/x,b/y at 21, not ']);
});

it('accepts a second list of a namespace before others have listed', () => {
  const { views, items } = world(['a', 'b']);
  views['a']?.replace([entry('a', 'old', '5')], '10');
  views['a']?.add(entry('a', 'forgotten', '11'));
  views['a']?.replace([entry('a', 'new', '12')], '12');
  views['b']?.replace([], '9');
  expect([...items.keys()]).toEqual(['a/new']);
});

it('exerts back-pressure on a namespace while another has not listed', async () => {
  const { views } = world(['a', 'b']);
  const { a, b } = views;
  a?.replace([], '1');
  expect(a?.isBehind).toBe(false);
  for (let i = 0; i < 1001; i++) a?.add(entry('a', `n${i}`, `${i + 2}`));
  expect(a?.isBehind).toBe(true);
  const drained = a?.drained?.(new AbortController().signal);
  b?.replace([], '1');
  await drained;
  expect(a?.isBehind).toBe(false);
});
