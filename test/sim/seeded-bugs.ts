import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A known bug, planted in a copy of the built files: the simulation must find it. */
export interface SeededBug {
  readonly name: string;
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
}

export const SEEDED_BUGS: readonly SeededBug[] = [
  {
    // etcd#15271 as a client sees it: a relist served by a replica that lags
    name: 'time travel: every relist accepts any version of the server',
    edits: [
      {
        file: 'src/reflector/machine/relist.js',
        find: "return state.position.synced === '' ? '0' : state.position.synced;",
        replace: "return '0';",
      },
      {
        file: 'src/reflector/machine/relist.js',
        find: "if (isOlder && requested !== '')",
        replace: 'if (false)',
      },
    ],
  },
  {
    name: 'an older list is accepted',
    edits: [
      {
        file: 'src/reflector/machine/relist.js',
        find: "if (isOlder && requested !== '')",
        replace: 'if (false)',
      },
    ],
  },
  {
    // kubernetes#141529: a delete between the list and the watch
    name: 'the watch starts at the most recent version instead of that of the list',
    edits: [
      {
        file: 'src/reflector/machine/reflector-machine.js',
        find: "effects: [{ type: 'watch', resourceVersion, isStreamingList: false }],",
        replace: "effects: [{ type: 'watch', resourceVersion: '', isStreamingList: false }],",
      },
    ],
  },
  {
    // etcd#15220
    name: 'a bookmark ahead of its stream is trusted',
    edits: [
      {
        file: 'src/reflector/watch/resource-version-cursor.js',
        find: "return isBehindBookmark ? 'unsound' : 'apply';",
        replace: "return isBehindBookmark ? 'stale' : 'apply';",
      },
    ],
  },
  {
    name: 'versions are compared as numbers',
    edits: [
      {
        file: 'src/kube/compare-resource-version.js',
        find: 'if (a.length !== b.length)',
        replace: 'return Math.sign(Number(a) - Number(b));\n    if (a.length !== b.length)',
      },
    ],
  },
  {
    name: 'versions are compared as strings',
    edits: [
      {
        file: 'src/kube/compare-resource-version.js',
        find: 'if (a.length !== b.length)',
        replace: 'if (false)',
      },
    ],
  },
  {
    name: 'repeated and stale events are applied, as client-go would',
    edits: [
      {
        file: 'src/reflector/watch/resource-version-cursor.js',
        find: "if (order === -1)\n            return 'stale';",
        replace: '',
      },
    ],
  },
  {
    name: 'an unreadable event is skipped',
    edits: [
      {
        file: 'src/reflector/watch/event-to-delta.js',
        find: "? 'skipped' : rejection(rejected)",
        replace: "? 'skipped' : 'skipped'",
      },
    ],
  },
  {
    name: 'an event that the store rejected is dropped, as in client-go',
    edits: [
      {
        file: 'src/reflector/watch/event-to-delta.js',
        find: 'return this.#storeFailed(`unable to store a $',
        replace: 'void (`$',
      },
    ],
  },
  {
    name: 'a truncated list is accepted as complete',
    edits: [
      {
        file: 'src/reflector/list/pager.js',
        find: 'if (chunk === undefined) {',
        replace:
          "if (chunk === undefined) {\n                if (items.list('', false).size > 0) return { type: 'end', resourceVersion: options.resourceVersion, continue: '' };",
      },
    ],
  },
  {
    name: 'the first page is accepted as the complete list',
    edits: [
      {
        file: 'src/reflector/list/pager.js',
        find: "while (page.continue !== '') {",
        replace: 'while (false) {',
      },
    ],
  },
  {
    name: 'pages before an expired token are kept',
    edits: [
      {
        file: 'src/reflector/list/pager.js',
        find: 'return this.#fullList(options);',
        replace: 'return items.list(resourceVersion, true);',
      },
    ],
  },
  {
    // stale epoch: objects of a dead stream are mixed with those of its successor
    name: 'a streaming list that starts again keeps its previous objects',
    edits: [
      {
        file: 'src/reflector/reflector.js',
        find: 'this.#temporaryStore = new TemporaryStore(this.#report);',
        replace: 'this.#temporaryStore = this.leftover ??= new TemporaryStore(this.#report);',
      },
    ],
  },
  {
    name: 'a streaming list ends before its end bookmark',
    edits: [
      {
        file: 'src/reflector/list/temporary-store.js',
        find: "return event.initialEventsEnd ? 'initial-events-end' : 'accepted';",
        replace: "return 'initial-events-end';",
      },
    ],
  },
  {
    // etcd#19179 as a client sees it: compaction, and missed deletes
    name: 'an expired watch is reopened at the most recent version instead of relisting',
    edits: [
      {
        file: 'src/reflector/machine/reflector-machine.js',
        find: "case 'expired':\n        case 'too-large':\n        case 'storage-read':",
        replace:
          "case 'expired':\n            return openWatch({ ...state, position: { synced: '', applied: '' } }, nowMs);\n        case 'too-large':\n        case 'storage-read':",
      },
    ],
  },
  {
    name: 'streams are reopened without backoff',
    edits: [
      { file: 'src/reflector/machine/transitions.js', find: 'if (minDelayMs <= 0)', replace: 'if (true)' },
    ],
  },
  {
    name: 'a silent watch never times out',
    edits: [{ file: 'src/reflector/watch/source-reader.js', find: 'dueAtMs === undefined', replace: 'true' }],
  },
  {
    name: 'a timer is left after stop',
    edits: [{ file: 'src/reflector/watch/source-reader.js', find: 'this.#timer?.cancel();', replace: '' }],
  },
  {
    name: 'a list and a watch at an expired version repeat forever',
    edits: [
      {
        file: 'src/reflector/machine/relist.js',
        find: 'const isSameVersion = state.isListAtRequestedVersion && state.position.synced === state.replacingVersion;',
        replace: 'const isSameVersion = false;',
      },
    ],
  },
  {
    name: 'a list deletes a key that it could not read',
    edits: [
      {
        file: 'src/reflector/reflector.js',
        find: 'this.#options.store.replace(listed.entries, resourceVersion, listed.unreadableKeys);',
        replace: 'this.#options.store.replace(listed.entries, resourceVersion);',
      },
    ],
  },
  {
    name: 'unreadable items of a list are never requested again',
    edits: [
      { file: 'src/reflector/machine/reflector-machine.js', find: 'if (lists === 0)', replace: 'if (true)' },
    ],
  },
];

/** The built files that a bug changes, with the bug in them. Throws if a line to change is not there exactly once. */
export async function plant(
  built: URL,
  { name, edits }: SeededBug,
): Promise<readonly { readonly file: string; readonly code: string }[]> {
  const files = new Map<string, string>();
  for (const { file, find, replace } of edits) {
    const code = files.get(file) ?? (await readFile(new URL(file, built), 'utf8'));
    if (code.split(find).length !== 2)
      throw new Error(`${file} does not have the line for "${name}" exactly once`);
    files.set(
      file,
      code.replace(find, () => replace),
    );
  }
  return [...files].map(([file, code]) => ({ file, code }));
}

/** Calls `use` with the URL of a copy of the built files that has the bug in it. */
export async function withBug<R>(built: URL, bug: SeededBug, use: (copy: URL) => Promise<R>): Promise<R> {
  // In node_modules, so that packages are found and Vitest does not transform the copy, as it does not transform dist.
  const directory = await mkdtemp(fileURLToPath(new URL('../node_modules/.kubeflect-bug-', built)));
  try {
    await cp(built, directory, { recursive: true, filter: (file) => !/\.(map|d\.ts)$/.test(file) });
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
    for (const { file, code } of await plant(built, bug)) await writeFile(join(directory, file), code);
    return await use(pathToFileURL(`${directory}/`));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
