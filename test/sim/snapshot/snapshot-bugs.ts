import type { SeededBug } from '../seeded-bugs.js';

const ANCHORS = 'src/engine/snapshots/applied-anchors.js';
const SNAPSHOT = 'src/engine/snapshots/informer-snapshot.js';
const SINK = 'src/reflector/list/warm-start.js';
const SOURCE = 'src/engine/informer-source.js';
const EARLIER = 'src/engine/snapshots/earlier-event.js';
const REPLACE = 'src/informer/replace.js';
const LOOP = 'src/informer/process-loop.js';

/** Bugs of warm starts, which the snapshot scenario must find. */
export const SNAPSHOT_BUGS: readonly SeededBug[] = [
  {
    name: 'S1 any event confirms a snapshot',
    edits: [
      {
        file: ANCHORS,
        find: 'return (entry.resourceVersion === anchor.resourceVersion &&',
        replace: 'return true || (entry.resourceVersion === anchor.resourceVersion &&',
      },
    ],
  },
  {
    name: 'S2 an event of the same object and version confirms a snapshot, whatever its content',
    edits: [{ file: ANCHORS, find: "(anchor.digest === '' ||", replace: '(true ||' }],
  },
  {
    name: 'S3 a watch that is accepted confirms a snapshot, as does a bookmark',
    edits: [
      {
        file: SINK,
        find: "if (event.type === 'BOOKMARK' || !this.#warmStart.isLastEvent(event)) {",
        replace: "if (event.type !== 'BOOKMARK' && !this.#warmStart.isLastEvent(event)) {",
      },
    ],
  },
  {
    name: 'S4 an event from before the last list confirms a snapshot',
    edits: [{ file: ANCHORS, find: 'this.#deltas.clear();', replace: '{}' }],
  },
  {
    name: 'S5 the last event is looked up when the objects have been collected already',
    edits: [
      { file: SNAPSHOT, find: '...this.#anchors.capture(),', replace: '' },
      {
        file: SNAPSHOT,
        find: 'const { slabs, anchors, readers: anchorReaders, objects } = captured;',
        replace:
          'if (!this.#isClosed) await new Promise((resolve) => this.#options.clock.schedule(resolve, 300)); const { slabs, objects } = captured; const { anchors, readers: anchorReaders } = this.#anchors.capture();',
      },
    ],
  },
  {
    name: 'S6 a cache with unreadable objects is written',
    edits: [{ file: SNAPSHOT, find: ' || this.#source?.isEverythingReadable() !== true', replace: '' }],
  },
  {
    name: 'S7 stale objects that readers see are taken for those of a list',
    edits: [
      {
        file: SOURCE,
        find: '(snapshot?.isStoreStale === true ? undefined : indexer.getByKey(key))',
        replace: 'indexer.getByKey(key)',
      },
    ],
  },
  {
    name: 'S9 a listed object of the same version as a stale one is unchanged',
    edits: [
      {
        file: REPLACE,
        find: 'isStoreStale !== true && before !== undefined',
        replace: 'before !== undefined',
      },
    ],
  },
  {
    name: 'S10 the newest object of a list is taken for its last event',
    edits: [
      {
        file: EARLIER,
        find: 'return last;',
        replace: "return { type: 'Updated', entry: newest, finalStateUnknown: false };",
      },
    ],
  },
  {
    name: 'S11 any bookmark shows that the event before the list was the last one',
    edits: [{ file: EARLIER, find: 'if (isAtMost(upTo, event.resourceVersion))', replace: 'if (true)' }],
  },
  {
    name: 'S8 handlers are not notified of what the store was filled with',
    edits: [{ file: LOOP, find: 'const segment = this.#isPrefilled', replace: 'const segment = false' }],
  },
];
