import { SEEDED_BUGS, type SeededBug } from '../seeded-bugs.js';

const HANDLE = 'src/pool/stream-handle.js';
const RELIST = 'src/reflector/machine/relist.js';
const CURSOR = 'src/reflector/watch/resource-version-cursor.js';
const STALE = "if (order === -1)\n            return 'stale';";

/** Bugs that other projects had, numbered, and bugs that the simulation found here. */
export const ENGINE_BUGS: readonly SeededBug[] = [
  {
    name: '1 kubernetes#83810: a notification is missed on a replace',
    edits: [
      {
        file: 'src/informer/replace.js',
        find: 'this.#entries.push(entry);\n            this.#before.push(before);',
        replace: 'if (before === undefined) {\n this.#entries.push(entry);\n this.#before.push(before); }',
      },
    ],
  },
  {
    name: '2 kubernetes#115658: an object that was only in the queue when a list arrived stays forever',
    edits: [
      {
        file: 'src/informer/replace.js',
        find: 'this.#deleted.push(entry);',
        replace:
          'if (this.#options.indexer.size > 1 && entry.uid.endsWith("1")) this.#staged.put(entry); else this.#deleted.push(entry);',
      },
    ],
  },
  fromReflector(
    '3 kubernetes#141529',
    'the watch starts at the most recent version instead of that of the list',
  ),
  fromReflector('4 etcd#15271', 'time travel: every relist accepts any version of the server'),
  fromReflector('5 etcd#15220', 'a bookmark ahead of its stream is trusted'),
  {
    name: '6 etcd#17529: events are lost on starvation',
    edits: [
      {
        file: 'workers/batch/batch-sender.js',
        find: 'coalescer.add(row);\n            return;',
        replace: 'return;',
      },
    ],
  },
  fromReflector(
    '7 etcd#19179',
    'an expired watch is reopened at the most recent version instead of relisting',
  ),
  {
    name: '8 the watch resumes from what the worker had read, not from what the main thread had applied',
    edits: [
      {
        file: 'workers/batch/batch-sender.js',
        find: 'add(row) {\n        if (this.#isClosed)\n            return;',
        replace:
          "add(row) {\n        if (this.#isClosed)\n            return;\n        if ('cells' in row && this.#coalescer) globalThis.readByWorker = row.cells.resourceVersionAt(row.offset);",
      },
      {
        file: 'workers/batch/batch-sender.js',
        find: 'addEvents(run) {',
        replace:
          'addEvents(run) {\n        globalThis.readByWorker = run.cells.resourceVersionAt(run.lastOffset);',
      },
      {
        file: 'workers/connection/request.js',
        find: 'path: prefix + path,',
        replace:
          'path: prefix + path.replace(/(?<=^[^?]*\\?(?!.*sendInitialEvents).*resourceVersion=)\\d+(?=.*watch=true|$)/, (asked) => { const ahead = BigInt(globalThis.readByWorker ?? 0) - BigInt(asked); return ahead > 0n && ahead < 100n ? globalThis.readByWorker : asked; }),',
      },
    ],
  },
  {
    name: '9 a batch of another epoch, or a repeated one, is applied',
    edits: [
      {
        file: HANDLE,
        find: 'if (epoch !== this.epoch || sequence < this.#nextSequence) {',
        replace: 'if (false) {',
      },
      { file: HANDLE, find: 'if (sequence > this.#nextSequence) {', replace: 'if (false) {' },
      {
        file: 'src/wire/batch.js',
        find: 'if (epoch !== this.#epoch || sequence !== this.#sequence) {',
        replace: 'if (false) {',
      },
      { file: CURSOR, find: STALE, replace: '' },
      {
        file: CURSOR,
        find: 'if (order === 0 && (this.#appliedKey === undefined || this.#appliedKey === key))',
        replace: 'if (false)',
      },
    ],
  },
  fromReflector('10', 'the first page is accepted as the complete list'),
  {
    name: '11 the truncated last line of a watch is parsed',
    edits: [
      {
        file: 'workers/split/line-splitter.js',
        find: 'const isComplete = this.carry.bytes().every(isWhiteSpace);',
        replace: 'const isComplete = true; this.#emit(this.carry.bytes());',
      },
      // An incomplete last line that does not parse is then treated as the end of the stream.
      {
        file: 'workers/decode/rejected-object.js',
        find: 'const { eventType, ...metadata } = read(bytes, document);',
        replace:
          "const { eventType, ...metadata } = read(bytes, document);\n    if (bytes.at(-1) !== 0x7d) return { type: 'bookmark', resourceVersion: metadata.resourceVersion ?? '', initialEventsEnd: false };",
      },
    ],
  },
  {
    name: '12 a character is split at the end of a chunk',
    edits: [
      {
        file: 'workers/split/document-buffer.js',
        find: 'append(bytes) {',
        replace: 'append(bytes) {\n        bytes = Buffer.from(Buffer.from(bytes).toString());',
      },
    ],
  },
  fromReflector('13', 'an unreadable event is skipped'),
  {
    name: '14 __proto__ is renamed',
    edits: [
      {
        file: 'src/wire/object-reader.js',
        find: 'function setOwn(object, key, value) {',
        replace: "function setOwn(object, key, value) {\n    if (key === '__proto__') key = '__proto_';",
      },
    ],
  },
  {
    name: '15 the transfer of a batch detaches the next one',
    edits: [
      {
        file: 'src/wire/batch.js',
        find: 'this.#rows = 0;\n        return buffer;',
        replace: 'this.#rows = 0;\n        return (this.lent ??= buffer);',
      },
    ],
  },
  {
    name: '16 only the main thread detects silence, and only while it reads',
    edits: [
      { file: 'workers/connection/watchdog.js', find: 'this.#silentChecks++;', replace: '' },
      { file: 'src/reflector/watch/source-reader.js', find: 'dueAtMs === undefined', replace: 'true' },
    ],
  },
  {
    name: '17 the queue of a handler is unbounded',
    edits: [
      {
        file: 'src/informer/handlers/notification-queue.js',
        find: 'this.#after.length > this.#watermark',
        replace: 'false',
      },
    ],
  },
  fromReflector('18', 'versions are compared as numbers'),
  {
    name: '19 an index is not updated when an object is recreated under the same name',
    edits: [
      {
        file: 'src/store/index-buckets.js',
        find: 'for (const value of oldValues)\n            this.#remove(value, key);\n        for (const value of newValues)',
        replace:
          'if (before === undefined || before.uid === after.uid) for (const value of oldValues)\n            this.#remove(value, key);\n        for (const value of newValues)',
      },
    ],
  },
  fromReflector('20', 'a timer is left after stop'),
  // Own writes: controller-runtime#3320, KEP-5647.
  {
    name: 'an own write has been seen with any progress of the collection',
    edits: [
      {
        file: 'src/informer/own-writes/progress.js',
        find: 'return order === 1 ||',
        replace: 'return order !== undefined ||',
      },
    ],
  },
  {
    name: 'an own deletion has been seen while the object is in the cache',
    edits: [
      {
        file: 'src/informer/own-writes/expectation.js',
        find: "return deletion === 'leaving' && isTerminating(stored.object);",
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'an own write is not seen with bookmarks and lists',
    edits: [
      {
        file: 'src/informer/own-writes/own-writes.js',
        find: 'if (this.#isFulfilled(write.expectation, eventVersion))',
        replace: "if (eventVersion !== '' && this.#isFulfilled(write.expectation, eventVersion))",
      },
    ],
  },
  // Found by the simulation in this project.
  {
    name: 'a bookmark among the initial events makes the worker drop the rest as stale',
    edits: [
      {
        file: 'workers/batch/coalescer.js',
        find: 'this.#isListing = isStreamingList;',
        replace: 'this.#isListing = false;',
      },
    ],
  },
  {
    name: 'the worker drops events that contradict a bookmark',
    edits: [
      {
        file: 'workers/batch/coalescer.js',
        find: 'if (initialEventsEnd || isAfterInitialState)',
        replace: 'if (true)',
      },
    ],
  },
  {
    name: 'an older list is accepted without a report',
    edits: [{ file: RELIST, find: "if (isOlder && requested !== '')", replace: 'if (false)' }],
  },
];

function fromReflector(number: string, name: string): SeededBug {
  const bug = SEEDED_BUGS.find((candidate) => candidate.name === name);
  if (bug === undefined) throw new Error(`unknown bug "${name}"`);
  return { ...bug, name: `${number}: ${name}` };
}
