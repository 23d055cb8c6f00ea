/** What the store costs: filling it, changing it, reading it, replacing it. */
import { deepStrictEqual } from 'node:assert';
import { Indexer, ObjectEntry } from 'kubeflect/cache';
import { Relist } from '#dist/src/informer/replace.js';
import { SliceScheduler } from '#dist/src/util/slice-scheduler.js';
import { microReport } from '../micro.mjs';

export { options } from '../micro.mjs';

const ITEMS = 10_000;
const NODES = 200;
const INDEXERS = { byNode: (entry) => [entry.object.spec.nodeName] };

export function run(values) {
  const entries = Array.from({ length: ITEMS }, (_, i) => entryOf(i, i + 1));
  const changed = entries.map((_, i) => entryOf(i, ITEMS + i + 1));
  const copies = entries.map((_, i) => entryOf(i, i + 1));
  const full = filled(entries);
  const tasks = [
    { name: 'add', items: ITEMS, run: () => void filled(entries) },
    { name: 'update', items: ITEMS, run: () => update(full, changed) },
    { name: 'getByKey', items: ITEMS, run: () => getAll(full, entries) },
    { name: 'byIndex, 50 objects a value', items: ITEMS, run: () => byIndex(full) },
    { name: 'list', items: ITEMS, run: () => deepStrictEqual(full.list().length, ITEMS) },
    {
      name: 'replace, into an empty store',
      items: ITEMS,
      run: () => relist(new Indexer({ indexers: INDEXERS }), entries, ITEMS),
    },
    { name: 'replace, nothing changed', items: ITEMS, run: () => relist(filledOnce(entries), copies, 0) },
  ];
  return microReport(`Indexer with one index, ${ITEMS} objects`, tasks, values);
}

function entryOf(i, version) {
  const metadata = {
    namespace: `team-${i % 50}`,
    name: `pod-${i}`,
    uid: `uid-${i}`,
    resourceVersion: String(version),
  };
  return new ObjectEntry({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { nodeName: `node-${i % NODES}` },
  });
}

function filled(entries) {
  const indexer = new Indexer({ indexers: INDEXERS });
  for (const entry of entries) indexer.add(entry);
  deepStrictEqual(indexer.size, entries.length);
  return indexer;
}

let once;
function filledOnce(entries) {
  once ??= filled(entries);
  return once;
}

function update(indexer, entries) {
  for (const entry of entries) indexer.update(entry);
  deepStrictEqual(indexer.getByKey(entries[0].key), entries[0]);
}

function getAll(indexer, entries) {
  let found = 0;
  for (const { key } of entries) if (indexer.getByKey(key) !== undefined) found++;
  deepStrictEqual(found, entries.length);
}

function byIndex(indexer) {
  let found = 0;
  for (let node = 0; node < NODES; node++) found += indexer.byIndex('byNode', `node-${node}`).length;
  deepStrictEqual(found, ITEMS);
}

/** As an informer does it, in slices. */
async function relist(indexer, entries, changes) {
  const slice = new SliceScheduler().open();
  const relist = new Relist({
    indexer,
    prepare: (entry) => entry,
    slice,
    signal: new AbortController().signal,
  });
  await relist.compare(entries, new Set());
  await relist.commit('1');
  await relist.release();
  deepStrictEqual([relist.changed, indexer.size], [changes, entries.length]);
}
