import { describe, expect, it } from 'vitest';
import { type SourceFile, sourceFiles } from '../support/source-files.js';

/**
 * The floors of the house, from the ground up. A file may import from its own floor and from those below, which are
 * listed by name: an import that is not listed is a new dependency between rooms and wants a thought.
 */
const FLOORS: readonly { readonly room: string; readonly mayImport: readonly string[] }[] = [
  // One floor: keys and paths refuse with errors, and an error holds a Status.
  { room: 'src/kube/', mayImport: ['src/errors.ts'] },
  { room: 'src/errors.ts', mayImport: ['src/kube/'] },
  { room: 'src/clock.ts', mayImport: [] },
  { room: 'src/abort.ts', mayImport: [] },
  { room: 'src/slice-scheduler.ts', mayImport: ['src/clock.ts'] },
  { room: 'src/diagnostics.ts', mayImport: ['src/errors.ts'] },
  { room: 'src/metrics.ts', mayImport: [] },
  { room: 'src/options.ts', mayImport: ['src/kube/', 'src/errors.ts'] },
  { room: 'src/wire/', mayImport: ['src/kube/', 'src/errors.ts'] },
  { room: 'workers/apiserver/', mayImport: ['src/kube/'] },
  {
    room: 'workers/',
    mayImport: ['src/kube/', 'src/errors.ts', 'src/clock.ts', 'src/wire/', 'src/options.ts'],
  },
  {
    room: 'src/store/',
    mayImport: [
      'src/kube/',
      'src/errors.ts',
      'src/clock.ts',
      'src/abort.ts',
      'src/slice-scheduler.ts',
      // The contract that queues fulfil; a type.
      'src/reflector/reflector-store.ts',
      'src/diagnostics.ts',
      'src/metrics.ts',
      'src/wire/',
    ],
  },
  {
    room: 'src/reflector/',
    mayImport: [
      'src/kube/',
      'src/errors.ts',
      'src/clock.ts',
      'src/diagnostics.ts',
      'src/metrics.ts',
      'src/store/',
    ],
  },
  {
    room: 'src/informer/',
    mayImport: [
      'src/kube/',
      'src/errors.ts',
      'src/clock.ts',
      'src/abort.ts',
      'src/slice-scheduler.ts',
      'src/diagnostics.ts',
      'src/metrics.ts',
      'src/options.ts',
      'src/store/',
      'src/reflector/',
    ],
  },
  {
    room: 'src/controller/',
    mayImport: [
      'src/kube/',
      'src/errors.ts',
      'src/clock.ts',
      'src/abort.ts',
      'src/slice-scheduler.ts',
      'src/metrics.ts',
      'src/options.ts',
      'src/store/',
      'src/informer/',
    ],
  },
  {
    room: 'src/pool/',
    // Without threads, the code of the worker runs here.
    mayImport: ['src/kube/', 'src/errors.ts', 'src/clock.ts', 'src/wire/', 'workers/stream.ts'],
  },
  {
    room: 'src/auth/',
    mayImport: ['src/kube/', 'src/errors.ts', 'src/clock.ts', 'src/options.ts', 'src/wire/'],
  },
  {
    // engine.ts, and its room.
    room: 'src/engine',
    mayImport: [
      'src/auth/',
      'src/kube/',
      'src/errors.ts',
      'src/clock.ts',
      'src/abort.ts',
      'src/slice-scheduler.ts',
      'src/diagnostics.ts',
      'src/metrics.ts',
      'src/options.ts',
      'src/wire/',
      'src/pool/',
      'src/store/',
      'src/reflector/',
      'src/informer/',
    ],
  },
  {
    room: 'src/client-node/',
    mayImport: [
      'src/kube/',
      'src/errors.ts',
      'src/clock.ts',
      'src/options.ts',
      'src/store/',
      'src/reflector/',
      'src/informer/',
      'src/engine',
    ],
  },
  { room: 'src/testing/', mayImport: ['workers/apiserver/'] },
  {
    room: 'src/index.ts',
    mayImport: [
      'src/auth/',
      'src/kube/',
      'src/errors.ts',
      'src/clock.ts',
      'src/diagnostics.ts',
      'src/metrics.ts',
      'src/wire/',
      'src/pool/',
      'src/store/',
      'src/reflector/',
      'src/informer/',
      'src/controller/',
      'src/engine',
    ],
  },
  {
    room: 'src/cli/',
    mayImport: [
      'src/index.ts',
      'src/testing/',
      // Single requests, with the credentials and the sockets of an engine: src/cli/api/api-client.ts.
      'src/auth/',
      'src/clock.ts',
      'src/engine/engine-credentials.ts',
      'src/informer/health/error-reporter.ts',
      'src/kube/status.ts',
      'src/metrics.ts',
      'src/wire/connection-settings.ts',
      'workers/http/',
      'workers/stream-failure.ts',
    ],
  },
];

const files = sourceFiles('src', 'workers');

function roomOf(path: string): (typeof FLOORS)[number] | undefined {
  return FLOORS.find(({ room }) => path.startsWith(room));
}

describe('imports', () => {
  it('every source file lives in a known room', () => {
    const strays = files.filter(({ path }) => roomOf(path) === undefined).map(({ path }) => path);
    expect(strays, 'add the room to FLOORS, in the order of design.md §3').toEqual([]);
  });

  it('point one way', () => {
    const wrong = files.flatMap(({ path, imports }) => {
      const floor = roomOf(path);
      return imports
        .filter((target) => /^(src|workers)\//.test(target))
        .filter((target) => floor !== undefined && !target.startsWith(floor.room))
        .filter((target) => !floor?.mayImport.some((room) => target.startsWith(room)))
        .map((target) => `${path} imports ${target}: move what it needs down, or pass it in from above`);
    });
    expect(wrong).toEqual([]);
  });

  it('never go round in a circle', () => {
    expect(
      findCycle(files),
      'break the circle: put the shared type into a file of its own below both',
    ).toBeUndefined();
  });

  it('of client-node are nowhere: it is a peer known by structure', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => /^(@kubernetes\/client-node|client-node-2)/.test(target))
        .map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('of tests stay out of the product', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports.filter((target) => /^(test|bench)\//.test(target)).map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('one place each', () => {
  const rules: readonly { what: string; pattern: RegExp; only: RegExp; instead: string }[] = [
    {
      what: 'msgpackr',
      pattern: /from 'msgpackr/,
      only: /^src\/wire\/codec\.ts$/,
      instead: 'encode and decode through src/wire/codec.ts, which knows its hazards',
    },
    {
      what: 'the HTTP client',
      pattern: /from 'node:https?'.*|\bfetch\(/,
      only: /^(workers\/(connection\.ts|http\/(agent-pool|request|probes?|watchdog)\.ts|apiserver\/)|src\/cli\/(api\/api-client|top\/web-view)\.ts)/,
      instead: 'open connections through workers/connection.ts, off the main thread',
    },
    {
      what: 'the clock',
      pattern: /\b(Date\.now|performance\.now|setTimeout|setInterval|setImmediate|new Date\(\))/,
      only: /^(src\/clock\.ts|src\/cli\/|src\/testing\/|src\/pool\/|workers\/)/,
      instead: 'take a Clock (src/clock.ts) as an option, so that a simulation can own time',
    },
    {
      what: 'randomness',
      pattern: /\b(Math\.random|randomUUID|randomBytes)\b/,
      only: /^(src\/clock\.ts|src\/cli\/|src\/testing\/|workers\/)/,
      instead: 'take a Random (src/clock.ts) as an option, so that a seed can own chance',
    },
    {
      what: 'console',
      pattern: /\bconsole\./,
      only: /^src\/cli\//,
      instead: 'publish on a diagnostics channel: a library does not print',
    },
  ];

  for (const { what, pattern, only, instead } of rules) {
    it(`${what} is used only where it belongs`, () => {
      const wrong = files
        .filter(({ path, text }) => !only.test(path) && pattern.test(withoutComments(text)))
        .map(({ path }) => `${path}: ${instead}`);
      expect(wrong).toEqual([]);
    });
  }
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

/** A list of files that import each other in a ring, or undefined. */
function findCycle(all: readonly SourceFile[]): string[] | undefined {
  const byPath = new Map(all.map((file) => [file.path, file]));
  const done = new Set<string>();
  const walk = (path: string, trail: string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const target of byPath.get(path)?.imports ?? []) {
      const cycle = walk(target, [...trail, path]);
      if (cycle !== undefined) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const { path } of all) {
    const cycle = walk(path, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
