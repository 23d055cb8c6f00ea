/** The cost of the store: filling, changing, reading and replacing it. */
import { deepStrictEqual } from 'node:assert';
import type { KubernetesObject } from 'kubeflect';
import { Indexer, ObjectEntry } from 'kubeflect/cache';
import { Relist } from '#dist/src/informer/replace.js';
import { SliceScheduler } from '#dist/src/util/slice-scheduler.js';
import { MICRO_OPTIONS, microReport } from '../runner/micro.js';
import { type BenchCase, defineCase } from './case.js';

type Pod = KubernetesObject & { readonly spec: { readonly nodeName: string } };
type PodEntry = ObjectEntry<Pod>;

const ITEMS = 10_000;
const NODES = 200;

export const indexer: BenchCase = defineCase(MICRO_OPTIONS, ({ time }) => {
  const entries = Array.from({ length: ITEMS }, (_, i) => entryOf(i, i + 1));
  const newer = entries.map((_, i) => entryOf(i, ITEMS + i + 1));
  const copies = entries.map((_, i) => entryOf(i, i + 1));
  const updated = filled(entries);
  const unchanged = filled(entries);
  const tasks = [
    { name: 'add', items: ITEMS, run: () => void filled(entries) },
    { name: 'update', items: ITEMS, run: () => update(updated, newer) },
    { name: 'getByKey', items: ITEMS, run: () => getAll(updated, entries) },
    { name: 'byIndex, 50 objects per value', items: ITEMS, run: () => byIndex(updated) },
    { name: 'list', items: ITEMS, run: () => deepStrictEqual(updated.list().length, ITEMS) },
    { name: 'replace, into an empty store', items: ITEMS, run: () => relist(empty(), entries, ITEMS) },
    { name: 'replace, nothing changed', items: ITEMS, run: () => relist(unchanged, copies, 0) },
  ];
  return microReport(`Indexer with one index, ${ITEMS} objects`, tasks, time);
});

function entryOf(i: number, version: number): PodEntry {
  const metadata = {
    namespace: `team-${i % 50}`,
    name: `pod-${i}`,
    uid: `uid-${i}`,
    resourceVersion: String(version),
  };
  return new ObjectEntry<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { nodeName: `node-${i % NODES}` },
  });
}

function empty(): Indexer<Pod> {
  return new Indexer<Pod>({ indexers: { byNode: ({ object }) => [object.spec.nodeName] } });
}

function filled(entries: readonly PodEntry[]): Indexer<Pod> {
  const store = empty();
  for (const entry of entries) store.add(entry);
  deepStrictEqual(store.size, entries.length);
  return store;
}

function update(store: Indexer<Pod>, entries: readonly PodEntry[]): void {
  for (const entry of entries) store.update(entry);
  const [first] = entries;
  if (first === undefined || store.getByKey(first.key) !== first) throw new Error('the first is not updated');
}

function getAll(store: Indexer<Pod>, entries: readonly PodEntry[]): void {
  let found = 0;
  for (const { key } of entries) if (store.getByKey(key) !== undefined) found++;
  deepStrictEqual(found, entries.length);
}

function byIndex(store: Indexer<Pod>): void {
  let found = 0;
  for (let node = 0; node < NODES; node++) found += store.byIndex('byNode', `node-${node}`).length;
  deepStrictEqual(found, ITEMS);
}

/** In slices, like an informer. */
async function relist(store: Indexer<Pod>, entries: readonly PodEntry[], changes: number): Promise<void> {
  const replacement = new Relist<Pod>({
    indexer: store,
    prepare: (entry) => entry,
    slice: new SliceScheduler().open(),
    signal: new AbortController().signal,
  });
  await replacement.compare(entries, new Set());
  await replacement.commit('1');
  await replacement.release();
  deepStrictEqual([replacement.changed, store.size], [changes, entries.length]);
}
