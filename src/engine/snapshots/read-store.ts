import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { ExpectedIdentity, SnapshotHeader } from '../../snapshot/snapshot-header.js';
import { broken } from '../../snapshot/snapshot-rejection.js';
import type { Entry } from '../../store/entry.js';
import { ShardedMap } from '../../store/shards.js';
import type { SlabCache } from '../../store/slab/slab-cache.js';
import { SlabEntry } from '../../store/slab/slab-entry.js';
import type { Slice } from '../../util/slice-scheduler.js';
import { ObjectReader } from '../../wire/object-reader.js';
import type { SnapshotCells, SnapshotClient } from './snapshot-client.js';

/** What a snapshot holds, as entries of the informer's cache that are not stored. */
export interface ReadStore<T extends KubernetesObject> {
  readonly header: SnapshotHeader;
  readonly entries: readonly Entry<T>[];
  readonly byKey: ShardedMap<Entry<T>, Key>;
  /** Empty unless it was asked for. */
  readonly byNamespace: ReadonlyMap<string, readonly Entry<T>[]>;
}

interface ReadStoreOptions<T extends KubernetesObject> {
  readonly client: SnapshotClient;
  readonly cache: SlabCache<T>;
  readonly slice: Slice;
  /** Whether the entries of each namespace will be asked for. */
  readonly isByNamespace: boolean;
}

/** So many entries count as one item of a slice: reading the clock for each would take as long as creating it. */
const ENTRIES_PER_ITEM = 16;

let tables = 0;

/** Reads a snapshot in slices. The cells are used where the thread has put them. Rejects with `SnapshotRejection`. */
export async function readStore<T extends KubernetesObject>(
  { client, cache, slice, isByNamespace }: ReadStoreOptions<T>,
  name: string,
  expected: ExpectedIdentity,
): Promise<ReadStore<T>> {
  const readers: ObjectReader[] = [];
  const entries: Entry<T>[] = [];
  const byNamespace = new Map<string, Entry<T>[]>();
  let byKey = new ShardedMap<Entry<T>, Key>();
  let work = Promise.resolve();
  const add = async ({ buffer, offsets, table }: SnapshotCells): Promise<void> => {
    const reader = readers[table];
    if (reader === undefined) throw new Error('cells without a table');
    const slab = cache.slabOfSnapshot(buffer, reader);
    for (const [i, offset] of offsets.entries()) {
      if (i % ENTRIES_PER_ITEM === 0 && !slice.take()) await slice.renew();
      const entry = new SlabEntry<T>(slab.cells.keyAt(offset), slab, offset);
      entries.push(entry);
      byKey.set(entry.key, entry);
      if (isByNamespace) entriesIn(byNamespace, entry.namespace).push(entry);
    }
    slice.pause();
  };
  const header = await client.read(
    { type: 'read', name, expected },
    {
      onBegin: (objects) => {
        byKey = new ShardedMap(undefined, objects);
      },
      onTable: (definitions) => {
        const reader = new ObjectReader(`snapshot.${tables++}`);
        reader.extend(0, definitions);
        readers.push(reader);
      },
      onCells: (cells) => {
        work = work.then(() => add(cells));
        work.catch(() => {});
      },
    },
  );
  await work;
  if (entries.length !== header.objects)
    throw broken(`${entries.length} of ${header.objects} objects arrived`);
  if (byKey.size !== entries.length) throw broken('it has an object twice');
  return { header, entries, byKey, byNamespace };
}

function entriesIn<T extends KubernetesObject>(
  byNamespace: Map<string, Entry<T>[]>,
  namespace: string,
): Entry<T>[] {
  const entries = byNamespace.get(namespace) ?? [];
  if (entries.length === 0) byNamespace.set(namespace, entries);
  return entries;
}
