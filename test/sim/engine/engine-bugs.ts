import { SEEDED_BUGS, type SeededBug } from '../seeded-bugs.js';

const HANDLE = 'src/pool/stream-handle.js';
const RELIST = 'src/reflector/machine/relist.js';
const CURSOR = 'src/reflector/watch/resource-version-cursor.js';
const STALE = "if (order === -1)\n            return 'stale';";

/** The bugs of the reliability notes, by their number there, in a copy of everything that is built. */
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
    name: '2 kubernetes#115658: what was only in the queue when a list came stays for ever',
    edits: [
      {
        file: 'src/informer/replace.js',
        find: 'this.#deleted.push(entry);',
        replace:
          'if (this.#options.indexer.size > 1 && entry.uid.endsWith("1")) this.#staged.put(entry); else this.#deleted.push(entry);',
      },
    ],
  },
  fromReflector('3 kubernetes#141529', 'the watch begins after the list instead of at it'),
  fromReflector('4 etcd#15271', 'time travel: every relist takes whatever the server has'),
  fromReflector('5 etcd#15220', 'a bookmark that is ahead of its stream is believed'),
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
    'an expired watch is opened again at the most recent version instead of listing',
  ),
  {
    name: '8 the watch goes on from what the worker had read, not from what the main thread had applied',
    edits: [
      {
        file: 'workers/batch/batch-sender.js',
        find: 'add(row) {\n        if (this.#isClosed)\n            return;',
        replace:
          "add(row) {\n        if (this.#isClosed)\n            return;\n        if ('cells' in row && this.#coalescer) globalThis.readByWorker = row.cells.resourceVersionAt(row.offset);",
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
    name: '9 a batch of another epoch, or one that came before, is applied',
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
  fromReflector('10', 'the first page is taken for the list'),
  {
    name: '11 the truncated last line of a watch is parsed',
    edits: [
      {
        file: 'workers/split/line-splitter.js',
        find: 'const isComplete = this.carry.bytes().every(isWhiteSpace);',
        replace: 'const isComplete = true; this.#emit(this.carry.bytes());',
      },
      // As who parses what is left must: what does not parse is taken for the end.
      {
        file: 'workers/decode/rejected-object.js',
        find: 'const { eventType, ...metadata } = read(bytes, document);',
        replace:
          "const { eventType, ...metadata } = read(bytes, document);\n    if (bytes.at(-1) !== 0x7d) return { type: 'bookmark', resourceVersion: metadata.resourceVersion ?? '', initialEventsEnd: false };",
      },
    ],
  },
  {
    name: '12 a character is split where a chunk ends',
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
    name: '15 the transfer of a batch takes the next one with it',
    edits: [
      {
        file: 'src/wire/batch.js',
        find: 'this.#rows = 0;\n        return buffer;',
        replace: 'this.#rows = 0;\n        return (this.lent ??= buffer);',
      },
    ],
  },
  {
    name: '16 only the main thread watches for silence, and only while it is asked',
    edits: [
      { file: 'workers/connection/watchdog.js', find: 'this.#silentChecks++;', replace: '' },
      { file: 'src/reflector/watch/source-reader.js', find: 'timeoutMs === undefined', replace: 'true' },
    ],
  },
  {
    name: '17 the queue of a handler has no end',
    edits: [
      {
        file: 'src/informer/handlers/notification-queue.js',
        find: 'this.#behind.length > this.#watermark',
        replace: 'false',
      },
    ],
  },
  fromReflector('18', 'versions are compared as numbers'),
  {
    name: '19 an index is not told of another life under the same name',
    edits: [
      {
        file: 'src/store/index-buckets.js',
        find: 'for (const value of oldValues)\n            this.#remove(value, key);\n        for (const value of newValues)',
        replace:
          'if (before === undefined || before.uid === after.uid) for (const value of oldValues)\n            this.#remove(value, key);\n        for (const value of newValues)',
      },
    ],
  },
  fromReflector('20', 'a timer is left after the stop'),
  // Found by this simulation in our own code.
  {
    name: 'a bookmark among the initial events makes the worker take the rest for old',
    edits: [
      {
        file: 'workers/batch/coalescer.js',
        find: 'this.#isListing = isStreamingList;',
        replace: 'this.#isListing = false;',
      },
    ],
  },
  {
    name: 'the worker hides what contradicts a bookmark',
    edits: [
      {
        file: 'workers/batch/coalescer.js',
        find: 'if (initialEventsEnd || isBehindState)',
        replace: 'if (true)',
      },
    ],
  },
  {
    name: 'an older list is taken as it comes, and nobody is told',
    edits: [{ file: RELIST, find: "if (isOlder && requested !== '')", replace: 'if (false)' }],
  },
];

function fromReflector(number: string, name: string): SeededBug {
  const bug = SEEDED_BUGS.find((known) => known.name === name);
  if (bug === undefined) throw new Error(`there is no bug "${name}"`);
  return { ...bug, name: `${number}: ${name}` };
}
