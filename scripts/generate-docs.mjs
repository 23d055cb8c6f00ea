/**
 * Makes docs/options.md, and docs/api.md (which is not kept in the repository), from the comments of the built declarations.
 * `--check` writes nothing, and fails if options.md lacks an option, has one that is gone or another default, or if a public name
 * cannot be found.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const ENTRIES = {
  kubeflect: 'index',
  'kubeflect/cache': 'cache/index',
  'kubeflect/client-node': 'client-node/index',
  'kubeflect/testing': 'testing/index',
};

/** What a user gives options to, and the types that describe them. */
const OPTION_PAGES = [
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
  ['startApiServer(options)', 'apiserver/options', 'ServerOptions', 'Of `kubeflect/testing`.'],
  ['server.populate(spec)', 'apiserver/generators/populate-spec', 'PopulateSpec', ''],
  ['server.faults.add(spec)', 'apiserver/faults/fault', 'FaultSpec', 'See [faults](testing.md#faults).'],
  ['FaultSpec.match', 'apiserver/faults/fault', 'FaultMatch', 'What is absent matches everything.'],
];

function declarations(module) {
  return readFileSync(join(ROOT, 'dist', `${module}.d.ts`), 'utf8');
}

/** The comment and the text of one exported declaration, or undefined. */
function declarationOf(text, name) {
  const start = new RegExp(
    `(?:/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)?export (?:declare )?(?:abstract )?(?:class|interface|type|function|const) ${name}\\b`,
  );
  const match = start.exec(text);
  if (match === null) return undefined;
  const rest = text.slice(match.index);
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

/** Members of an interface: name, comment, default. */
function membersOf(declaration) {
  const member = /^ {4}(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {4})?(?:readonly )?(\w+)(\??)[:(]/gm;
  return [...declaration.matchAll(member)].map(([, comment = '', name, mark]) => {
    const text = comment.replace(/\s*\n\s*\*\s?/g, ' ').trim();
    const [description = '', fallback = ''] = text.split(/\s*@default\s*/);
    return { name, description: description.trim(), fallback: fallback.trim(), isRequired: mark === '' };
  });
}

function optionsPage() {
  const sections = OPTION_PAGES.map(([title, module, name, remark]) => {
    const declaration = declarationOf(declarations(module), name);
    if (declaration === undefined) throw new Error(`${module} has no ${name}`);
    const rows = membersOf(declaration).map(({ name: option, description, fallback, isRequired }) =>
      [`\`${option}\``, isRequired && name !== 'StreamLimits' ? '_required_' : fallback, description].map(
        (cell) => cell.replaceAll('|', '\\|'),
      ),
    );
    return `## ${title}\n\n${`\`${name}\`. ${remark}`.trimEnd()}\n\n${table([['option', 'default', ''], ...rows])}`;
  });
  return `# Options\n\nMade from the comments of the code by \`npm run docs\`. Options that are not known are refused, and so are values that cannot be, with\n\`KUBEFLECT_OPTION_INVALID\` and what was expected.\n\n${sections.join('\n')}`;
}

function table(rows) {
  const widths = rows[0].map((_, i) => Math.max(3, ...rows.map((row) => row[i].length)));
  const line = (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |\n`;
  return (
    line(rows[0]) +
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n` +
    rows.slice(1).map(line).join('')
  );
}

/** What a module has from others: name, and the module it comes from. An entry only hands on. */
function exportsOf(module) {
  return [
    ...declarations(module).matchAll(/(?:export|import) (?:type )?\{([^}]*)\} from '([^']+)'/g),
  ].flatMap(([, names, from]) =>
    names
      .split(',')
      .map((name) => name.replace(/^\s*type\s+/, '').trim())
      .filter((name) => name !== '')
      .map((name) => ({ name, module: join(dirname(module), from).replace(/\.js$/, '') })),
  );
}

/** The declaration itself, however many modules hand it on. */
function findDeclaration(module, name) {
  const own = declarationOf(declarations(module), name);
  if (own !== undefined) return own;
  const from = exportsOf(module).find((one) => one.name === name);
  return from && findDeclaration(from.module, name);
}

function apiPage() {
  const missing = [];
  let page = '# API\n\nMade from the comments of the code by `npm run docs`.\n';
  for (const [title, entry] of Object.entries(ENTRIES)) {
    page += `\n## ${title}\n`;
    for (const { name, module } of exportsOf(`src/${entry}`).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const declaration = findDeclaration(module, name);
      if (declaration === undefined) missing.push(`${title}: ${name} in ${module}`);
      page += `\n### ${name}\n\n\`\`\`typescript\n${declaration?.replace(/^ +#private;\n/gm, '')}\n\`\`\`\n`;
    }
  }
  return { page, missing };
}

/** Names and defaults, without what is said about them. */
function rowsOf(page) {
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
  const kept = new Set(rowsOf(readFileSync(join(ROOT, 'docs/options.md'), 'utf8')));
  const made = new Set(rowsOf(options));
  for (const row of made) if (!kept.has(row)) problems.push(`docs/options.md lacks: ${row}`);
  for (const row of kept)
    if (!made.has(row)) problems.push(`docs/options.md has, and the code has not: ${row}`);
} else {
  writeFileSync(join(ROOT, 'docs/options.md'), options);
  writeFileSync(join(ROOT, 'docs/api.md'), page);
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) {
  process.stderr.write('run "npm run docs"\n');
  process.exitCode = 1;
}
