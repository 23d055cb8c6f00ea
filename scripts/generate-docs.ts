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
  'kubeflect/cache': 'cache/index',
  'kubeflect/client-node': 'client-node/index',
  'kubeflect/testing': 'testing/index',
};

/** A section of docs/options.md: heading, module and name of the interface, and a remark. */
type OptionSection = readonly [title: string, module: string, name: string, remark: string];

const OPTION_SECTIONS: readonly OptionSection[] = [
  [
    'new Engine(options)',
    'src/engine/engine-options',
    'EngineOptions',
    'Of the process: one engine per API server.',
  ],
  [
    'EngineOptions.limits',
    'src/wire/stream-task',
    'StreamLimits',
    'Caps on what a server may send, and timeouts; by default 16 MiB, 500, 256 KiB, 5 ms, 10 s, 10 minutes, 15 s, 10 s, 3 minutes, 200.',
  ],
  ['EngineOptions.restartBackoff', 'src/pool/restart-backoff', 'RestartBackoffOptions', ''],
  [
    'EngineOptions.connection',
    'src/auth/connection-source',
    'ConnectionSource',
    'See [credentials](credentials.md).',
  ],
  [
    'engine.informer(options)',
    'src/engine/informer-options',
    'InformerOptions',
    'Of one collection. See [tuning](tuning.md).',
  ],
  [
    'engine.informer(options), too',
    'src/informer/shared-informer-options',
    'SharedInformerOptions',
    'What informers have without an engine; of these `run`, `resource`, `metrics`, `clock` and `slices` are the engine’s.',
  ],
  [
    'InformerOptions.reflector',
    'src/reflector/reflector-options',
    'ReflectorOptions',
    'An engine takes those that are named in `ReflectorTuning`; a reflector of your own takes all.',
  ],
  [
    'informer.addEventHandler(handler, options)',
    'src/informer/shared-informer-options',
    'AddEventHandlerOptions',
    '',
  ],
  ['informer.events(options)', 'src/informer/shared-informer-options', 'EventsOptions', ''],
  ['stop(options), close(options)', 'src/informer/shared-informer-options', 'StopOptions', ''],
  ['runController(options)', 'src/controller/controller-options', 'ControllerOptions', ''],
  ['new WorkQueue(options)', 'src/controller/work-queue', 'WorkQueueOptions', ''],
  ['queue.add(item, options)', 'src/controller/work-queue', 'AddOptions', ''],
  ['new BucketRateLimiter(options)', 'src/controller/rate-limiters', 'BucketOptions', ''],
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

function optionsPage(): string {
  const sections = OPTION_SECTIONS.map(([title, module, name, remark]) => {
    const declaration = declarationOf(declarations(module), name);
    if (declaration === undefined) throw new Error(`${module} has no ${name}`);
    const rows = membersOf(declaration).map(({ name: option, description, defaultValue, isRequired }) =>
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
