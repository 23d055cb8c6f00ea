import { ApiStatusError, type KubeflectError, type SharedInformer } from '../../index.js';
import { openInformers } from '../api/open-informers.js';
import { SELECTION_OPTIONS } from '../api/resource-selection.js';
import { oneOf } from '../arguments/option-values.js';
import { type OptionTable, parseArguments, UsageError } from '../arguments/parse-arguments.js';
import type { Command } from '../command.js';
import { FOR_OPTION, StopSignal } from '../stop-signal.js';
import { paint, print, printNote } from '../terminal/output.js';
import { ProgressLine } from '../terminal/progress-line.js';
import { EventFormatter, type OutputFormat } from './event-formatter.js';

const FORMATS: readonly OutputFormat[] = ['plain', 'name', 'json', 'wide'];

/** Status codes that the server will respond with again: retrying does not help. */
const PERMANENT_CODES: ReadonlySet<number | undefined> = new Set([400, 401, 403, 404]);

/** The values of an index with the most objects are shown. */
const MAX_INDEX_VALUES = 10;

const OPTIONS: OptionTable = {
  ...SELECTION_OPTIONS,
  output: { short: 'o', value: 'format', default: 'plain', help: `Output format: ${FORMATS.join(', ')}` },
  index: {
    value: 'path',
    isMultiple: true,
    help: 'Show the value at this path, and count objects by it, e.g. spec.nodeName',
  },
  once: { help: 'Exit after printing the existing objects' },
  'watch-only': { help: 'Print changes only, not the existing objects' },
  ...FOR_OPTION,
};

export const watch: Command = {
  name: 'watch',
  usage: '<resource> [options]',
  summary: 'Print the objects of a resource and every change to them, like kubectl get --watch',
  options: OPTIONS,
  notes: `<resource> is any resource of the server, as in kubectl: pods, po, Deployment, deployments.apps, or a
custom resource. With -o json, each line is one event. Counts and errors go to standard error.

Examples:
  kubeflect watch pods -A --index spec.nodeName
  kubeflect watch deployments.apps -n shop -o wide
`,
  run,
};

async function run(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, OPTIONS, 1);
  const [name] = parsed.positionals;
  if (name === undefined) throw new UsageError('missing argument <resource>');
  const format = oneOf(parsed, 'output', FORMATS);
  const indexes = parsed.strings('index');
  let permanentError: string | undefined;
  using stop = new StopSignal(parsed);
  await using opened = await openInformers(parsed, [name], {
    indexers: Object.fromEntries(indexes.map((path) => [path, path])),
    onError(error) {
      if (stop.isStopped) return;
      const code = permanentCode(error);
      if (opened.informers[0]?.informer.hasSynced === false && code !== undefined) {
        permanentError = code === 400 ? error.message : `${error.message}; run "kubeflect doctor ${name}"`;
        stop.stop();
      } else printNote(paint('dim', `${error.code}: ${error.message}`, process.stderr));
    },
  });
  const [{ informer, resource, total }] = opened.informers as [(typeof opened.informers)[number]];
  const formatter = new EventFormatter(format, resource.plural, indexes);
  if (formatter.heading !== undefined) print(formatter.heading);
  informer.start({ signal: stop.signal });
  const listed = (): number => opened.engine.stats().informers[0]?.listed ?? 0;
  const progress = new ProgressLine(listed, resource.plural, total);
  const clearProgress = (): void => progress.clear();
  void informer.synced.then(clearProgress, clearProgress);
  for await (const event of informer.events({ signal: stop.signal })) {
    if (event.type === 'synced') {
      printCounts(informer, resource.plural, indexes);
      if (parsed.flag('once')) break;
    } else if (!(parsed.flag('watch-only') && event.type === 'add' && event.isInInitialList)) {
      print(formatter.line(event));
    }
  }
  if (permanentError !== undefined) throw new Error(permanentError);
  return 0;
}

function permanentCode(error: KubeflectError): number | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApiStatusError) {
      const { code } = cause.status;
      return PERMANENT_CODES.has(code) ? code : undefined;
    }
  }
  return undefined;
}

function printCounts(informer: SharedInformer, plural: string, indexes: readonly string[]): void {
  printNote(paint('dim', `${informer.lister.entries().length} ${plural}`, process.stderr));
  for (const path of indexes) {
    const counts = informer.indexer
      .listIndexFuncValues(path)
      .map((value) => ({ value, count: informer.indexer.indexKeys(path, value).length }))
      .sort((a, b) => b.count - a.count);
    const shown = counts.slice(0, MAX_INDEX_VALUES).map(({ value, count }) => `${value} ${count}`);
    const hidden = counts.length - shown.length;
    const rest = hidden > 0 ? `, and ${hidden} others` : '';
    printNote(paint('dim', `by ${path}: ${shown.join(', ')}${rest}`, process.stderr));
  }
}
