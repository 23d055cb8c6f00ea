/**
 * `npm run docs`: generates docs/options.md, and docs/api.md (which is not committed), from the comments of the built
 * declarations. `--check` writes nothing, and fails if the options or defaults in options.md differ from the code, or
 * if a public name has no declaration.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const ENTRIES: Readonly<Record<string, string>> = {
  kubeflect: 'index',
  'kubeflect/controller': 'entries/controller',
  'kubeflect/sharding': 'entries/sharding',
  'kubeflect/cache': 'entries/cache',
  'kubeflect/client-node': 'client-node/index',
  'kubeflect/testing': 'testing/index',
};

/**
 * A section of docs/options.md: heading, module and name of the interface, and a remark. With `only`, just these members;
 * `also` names members that the interface takes over from another one.
 */
type OptionSection = readonly [
  title: string,
  module: string,
  name: string,
  remark: string,
  members?: {
    readonly only?: readonly string[];
    readonly also?: readonly [module: string, name: string, members: readonly string[]];
  },
];

const CONTROLLER_SOURCE = 'src/controller/controller-source';
const SHARED_INFORMER = 'src/informer/shared-informer-options';

const OPTION_SECTIONS: readonly OptionSection[] = [
  ['new Engine(options)', 'src/engine/engine-options', 'EngineOptions', 'One engine per API server.'],
  [
    'EngineOptions.connection',
    'src/auth/connection-source',
    'ConnectionSource',
    'See [credentials](credentials.md).',
  ],
  [
    'EngineOptions.snapshot',
    'src/engine/snapshots/snapshot-options',
    'SnapshotOptions',
    'See [warm start](warm-start.md).',
  ],
  [
    'engine.informer(options)',
    'src/engine/informer-options',
    'InformerOptions',
    'One informer per collection. See [tuning](tuning.md).',
    {
      also: [
        SHARED_INFORMER,
        'SharedInformerOptions',
        ['name', 'transform', 'resyncPeriodMs', 'mutationDetector', 'watchErrorHandler', 'onError'],
      ],
    },
  ],
  ['informer.addEventHandler(handler, options)', SHARED_INFORMER, 'AddEventHandlerOptions', ''],
  ['informer.events(options)', SHARED_INFORMER, 'EventsOptions', ''],
  ['informer.caughtUp(key, options)', 'src/informer/own-writes/own-writes', 'CaughtUpOptions', ''],
  ['stop(options), close(options)', SHARED_INFORMER, 'StopOptions', ''],
  ['runController(options)', 'src/controller/controller-options', 'ControllerOptions', ''],
  ['runManager(options)', 'src/manager/manager-options', 'ManagerOptions', 'Of `kubeflect/controller`.'],
  ['ManagerOptions.health', 'src/manager/manager-options', 'HealthOptions', ''],
  ['new ShardRing(options)', 'src/ring/ring-options', 'ShardRingOptions', 'Of `kubeflect/sharding`.'],
  [
    'new LeaderElector(options)',
    'src/leader-election/elector-options',
    'LeaderElectorOptions',
    'Of `kubeflect/controller`.',
  ],
  ['elector.stop(options)', 'src/leader-election/leader-elector', 'ElectorStopOptions', ''],
  [
    'ControllerOptions.watches',
    CONTROLLER_SOURCE,
    'ControllerSource',
    'Each of them.',
    { also: [CONTROLLER_SOURCE, 'SourceOptions', ['predicate', 'filter', 'priority']] },
  ],
  [
    'ControllerOptions.owns',
    CONTROLLER_SOURCE,
    'OwnedSource',
    'Each of them.',
    { also: [CONTROLLER_SOURCE, 'SourceOptions', ['predicate', 'filter', 'priority']] },
  ],
  ['ReconcileResult', 'src/controller/reconcile', 'ReconcileResult', 'What `reconcile` may return.'],
  ['new WorkQueue(options)', 'src/controller/work-queue', 'WorkQueueOptions', 'Of `kubeflect/controller`.'],
  ['queue.add(item, options)', 'src/controller/work-queue', 'AddOptions', ''],
  [
    'makeInformer(…, options), new ListWatch(…, options)',
    'src/client-node/list-watch-options',
    'ListWatchOptions',
    'Of `kubeflect/client-node`; `kind` and `drop` are those of an informer, and `makeInformer` has `fieldSelector`, too.',
  ],
  ['startApiServer(options)', 'apiserver/control/server-options', 'ServerOptions', 'Of `kubeflect/testing`.'],
  ['server.populate(spec)', 'apiserver/control/populate-spec', 'PopulateSpec', ''],
  ['server.faults.add(spec)', 'apiserver/control/fault', 'FaultSpec', 'See [faults](testing.md#faults).'],
  ['FaultSpec.match', 'apiserver/control/fault', 'FaultMatch', 'What is absent matches everything.'],
  [
    'EngineOptions.advanced',
    'src/engine/engine-options',
    'AdvancedEngineOptions',
    'Their defaults suit almost every program: change one only with a measurement, or in a test.',
  ],
  ['EngineOptions.advanced.limits', 'src/wire/stream-task', 'StreamLimits', ''],
  ['EngineOptions.advanced.restartBackoff', 'src/pool/worker-death', 'RestartBackoffOptions', ''],
  [
    'InformerOptions.advanced',
    'src/engine/informer-options',
    'AdvancedInformerOptions',
    'Their defaults suit almost every program: change one only with a measurement, or in a test.',
    { also: [SHARED_INFORMER, 'SharedInformerOptions', ['slowHandlerMs', 'mergeAbove']] },
  ],
  [
    'InformerOptions.advanced.reflector',
    'src/reflector/reflector-options',
    'ReflectorOptions',
    'Those that an engine takes.',
    {
      only: [
        'maxInternalErrorRetryDurationMs',
        'minReconnectIntervalMs',
        'minWatchTimeoutMs',
        'watchListIdleTimeoutMs',
        'watchListTimeoutMs',
        'watchListReprobeMs',
        'listIdleTimeoutMs',
        'consistencyDetector',
        'periodMs',
      ],
    },
  ],
  ['new SharedInformer(options)', SHARED_INFORMER, 'SharedInformerOptions', 'Of `kubeflect/cache`.'],
  ['new Reflector(options)', 'src/reflector/reflector-options', 'ReflectorOptions', 'Of `kubeflect/cache`.'],
  [
    'new ListerWatcherFuncs(options)',
    'src/reflector/lister-watcher-funcs',
    'ListerWatcherFuncsOptions',
    'Of `kubeflect/cache`.',
  ],
  [
    'new BucketRateLimiter(options)',
    'src/controller/rate-limiters',
    'BucketOptions',
    'Of `kubeflect/controller`.',
  ],
];

function declarations(module: string): string {
  return readFileSync(join(ROOT, 'dist', `${module}.d.ts`), 'utf8');
}

/** One exported declaration with its comment, or undefined. */
function declarationOf(source: string, name: string): string | undefined {
  const start = new RegExp(
    `(?:/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)?export (?:declare )?(?:abstract )?(?:class|interface|type|function|const) ${name}\\b`,
  );
  const match = start.exec(source);
  if (match === null) return undefined;
  const rest = source.slice(match.index);
  const head = match[0].length;
  const lines = rest.slice(head).split('\n');
  let depth = 0;
  let length = head;
  for (const line of lines) {
    for (const character of line.replace(/\/\*.*?\*\/|'[^']*'/g, '')) {
      if ('{(['.includes(character)) depth++;
      if ('})]'.includes(character)) depth--;
    }
    length += line.length + 1;
    if (depth === 0 && /[;}]\s*$/.test(line)) break;
  }
  return rest.slice(0, length).trimEnd();
}

interface Member {
  readonly name: string;
  readonly description: string;
  /** As the comment has it; '' without one. */
  readonly defaultValue: string;
  readonly isRequired: boolean;
}

function membersOf(interfaceDeclaration: string): Member[] {
  const member = /^ {4}(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {4})?(?:readonly )?(\w+)(\??)[:(]/gm;
  return [...interfaceDeclaration.matchAll(member)].map(([, comment = '', name = '', mark]) => {
    const text = comment.replace(/\s*\n\s*\*\s?/g, ' ').trim();
    const [description = '', defaultValue = ''] = text.split(/\s*@default\s*/);
    return {
      name,
      description: description.trim(),
      defaultValue: defaultValue.trim(),
      isRequired: mark === '',
    };
  });
}

/** All members of an interface, or those with these names, each of which must exist. */
function namedMembers(module: string, name: string, only?: readonly string[]): Member[] {
  const declaration = declarationOf(declarations(module), name);
  if (declaration === undefined) throw new Error(`${module} has no ${name}`);
  const members = membersOf(declaration);
  if (only === undefined) return members;
  return only.map((wanted) => {
    const member = members.find((one) => one.name === wanted);
    if (member === undefined) throw new Error(`${name} in ${module} has no member ${wanted}`);
    return member;
  });
}

function optionsPage(): string {
  const sections = OPTION_SECTIONS.map(([title, module, name, remark, { only, also } = {}]) => {
    const members = [
      ...namedMembers(module, name, only),
      ...(also === undefined ? [] : namedMembers(...also)),
    ];
    const rows = members.map(({ name: option, description, defaultValue, isRequired }) =>
      [`\`${option}\``, isRequired && name !== 'StreamLimits' ? '_required_' : defaultValue, description].map(
        (cell) => cell.replaceAll('|', '\\|'),
      ),
    );
    return `## ${title}\n\n${`\`${name}\`. ${remark}`.trimEnd()}\n\n${table([['option', 'default', ''], ...rows])}`;
  });
  return `# Options\n\nGenerated from the comments of the code by \`npm run docs\`. Unknown options and invalid values are rejected\nwith \`KUBEFLECT_OPTION_INVALID\`.\n\n${sections.join('\n')}`;
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((cell, i) =>
    Math.max(3, cell.length, ...rows.map(({ [i]: { length = 0 } = '' }) => length)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |\n`;
  return line(head) + line(widths.map((width) => '-'.repeat(width))) + rows.map(line).join('');
}

interface Reexport {
  readonly name: string;
  readonly module: string;
}

/** The names that a module imports or re-exports, each with the module it comes from. */
function reexportsOf(module: string): Reexport[] {
  return [
    ...declarations(module).matchAll(/(?:export|import) (?:type )?\{([^}]*)\} from '([^']+)'/g),
  ].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((name) => name.replace(/^\s*type\s+/, '').trim())
      .filter((name) => name !== '')
      .map((name) => ({ name, module: join(dirname(module), from).replace(/\.js$/, '') })),
  );
}

/** The declaration itself, through any number of re-exports. */
function findDeclaration(module: string, name: string): string | undefined {
  const own = declarationOf(declarations(module), name);
  if (own !== undefined) return own;
  const from = reexportsOf(module).find((candidate) => candidate.name === name);
  return from && findDeclaration(from.module, name);
}

function apiPage(): { page: string; missing: string[] } {
  const missing: string[] = [];
  let page = '# API\n\nGenerated from the comments of the code by `npm run docs`.\n';
  for (const [title, entry] of Object.entries(ENTRIES)) {
    page += `\n## ${title}\n`;
    for (const { name, module } of reexportsOf(`src/${entry}`).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const declaration = findDeclaration(module, name);
      if (declaration === undefined) missing.push(`${title}: ${name} in ${module}`);
      page += `\n### ${name}\n\n\`\`\`typescript\n${declaration?.replace(/^ +#private;\n/gm, '')}\n\`\`\`\n`;
    }
  }
  return { page, missing };
}

/** Headings, and the name and default of each option, without its description. */
function rowsOf(page: string): string[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('## ') || line.startsWith('| `'))
    .map((line) =>
      line
        .split(' | ')
        .slice(0, 2)
        .map((cell) => cell.trim())
        .join(' '),
    );
}

const { page, missing } = apiPage();
const options = optionsPage();
const isCheck = process.argv.includes('--check');
const problems = missing.map((name) => `not found: ${name}`);
if (isCheck) {
  const documented = new Set(rowsOf(readFileSync(join(ROOT, 'docs/options.md'), 'utf8')));
  const actual = new Set(rowsOf(options));
  for (const row of actual) if (!documented.has(row)) problems.push(`docs/options.md lacks: ${row}`);
  for (const row of documented)
    if (!actual.has(row)) problems.push(`docs/options.md has, but the code lacks: ${row}`);
} else {
  writeFileSync(join(ROOT, 'docs/options.md'), options);
  writeFileSync(join(ROOT, 'docs/api.md'), page);
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) {
  process.stderr.write('run "npm run docs"\n');
  process.exitCode = 1;
}
