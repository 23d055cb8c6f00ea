import { describe, expect, it } from 'vitest';
import { type SourceFile, sourceFiles } from '../support/source/source-files.js';

/**
 * The layers, lowest first. A file may import from its own layer and from those above it in this list, nothing else.
 * The embedded API server is a program of its own: it shares only the lowest layers with the engine.
 */
const LAYERS = [
  'src/util/',
  'src/kube/',
  'apiserver/',
  'src/wire/',
  'src/lease/',
  'src/snapshot/',
  'workers/',
  'src/store/',
  'src/reflector/',
  'src/informer/',
  'src/controller/',
  'src/pool/',
  'src/auth/',
  'src/leader-election/',
  'src/engine/',
  'src/manager/',
  'src/ring/',
  'src/client-node/',
  'src/testing/',
  'src/entries/',
  'src/index.ts',
  'src/cli/',
] as const;

/** The only importers of the embedded API server. */
const APISERVER_IMPORTERS = /^(apiserver|src\/testing)\//;

const files = sourceFiles('src', 'workers', 'apiserver');

function layerOf(path: string): number {
  return LAYERS.findIndex((layer) => path.startsWith(layer));
}

const internalImports = files.flatMap(({ path, imports }) =>
  imports.filter((target) => layerOf(target) >= 0).map((target) => ({ path, target })),
);

describe('imports', () => {
  it('exist only in files that belong to a layer', () => {
    const strays = files.filter(({ path }) => layerOf(path) < 0).map(({ path }) => path);
    expect(strays, 'add the folder to LAYERS').toEqual([]);
  });

  it('point down', () => {
    const wrong = internalImports
      .filter(({ path, target }) => layerOf(target) > layerOf(path))
      .map(
        ({ path, target }) => `${path} imports ${target}: move what it needs down, or pass it in from above`,
      );
    expect(wrong).toEqual([]);
  });

  it('reach the embedded API server only through kubeflect/testing', () => {
    const wrong = internalImports.filter(
      ({ path, target }) => target.startsWith('apiserver/') && !APISERVER_IMPORTERS.test(path),
    );
    expect(wrong).toEqual([]);
  });

  it('have no cycles', () => {
    expect(
      findCycle(files),
      'break the circle: put the shared type into a file of its own below both',
    ).toBeUndefined();
  });

  it('of client-node, an optional peer dependency, are one: dynamic, for auth providers of the command', () => {
    const importers = files.filter(({ imports }) =>
      imports.some((target) => /^(@kubernetes\/client-node|client-node-2)/.test(target)),
    );
    expect(importers.map(({ path }) => path)).toEqual(['src/cli/kube-config/auth-provider.ts']);
    for (const { text } of importers) expect(text).not.toMatch(/(from|require\() ?'@kubernetes/);
  });

  it('never lead from the product to tests or benchmarks', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports.filter((target) => /^(test|bench)\//.test(target)).map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('restricted modules and globals', () => {
  const rules: readonly { what: string; pattern: RegExp; only: RegExp; instead: string }[] = [
    {
      what: 'msgpackr',
      pattern: /from 'msgpackr/,
      only: /^src\/wire\/msgpack\.ts$/,
      instead: 'pack and unpack through src/wire/msgpack.ts, which knows its hazards',
    },
    {
      what: 'yaml',
      pattern: /(from|import\() ?'yaml'/,
      only: /^src\/cli\/kube-config\/parse-yaml\.ts$/,
      instead: 'parse through src/cli/kube-config/parse-yaml.ts, whose errors quote nothing',
    },
    {
      what: 'the HTTP client',
      pattern: /from 'node:https?'.*|\bfetch\(/,
      only: /^(apiserver\/|workers\/connection\/(http-client|agent-pool|request|json-request|server-probe|server-prober|watchdog)\.ts|src\/cli\/(api\/api-client|top\/web-view)\.ts|src\/manager\/health-server\.ts)/,
      instead: 'open connections through workers/connection/http-client.ts, off the main thread',
    },
    {
      what: 'the clock',
      pattern: /\b(Date\.now|performance\.now|setTimeout|setInterval|setImmediate|new Date\(\))/,
      only: /^(src\/util\/clock\.ts|src\/cli\/|src\/testing\/|src\/pool\/|workers\/|apiserver\/)/,
      instead: 'take a Clock (src/util/clock.ts) as an option, so that a simulation can own time',
    },
    {
      what: 'randomness',
      pattern: /\b(Math\.random|randomUUID|randomBytes)\b/,
      only: /^(src\/util\/clock\.ts|src\/cli\/|src\/testing\/|workers\/|apiserver\/)/,
      instead: 'take a Random (src/util/clock.ts) as an option, so that a seed can own chance',
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

/** The files of an import cycle, or undefined. */
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
