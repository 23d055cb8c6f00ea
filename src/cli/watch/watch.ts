import { ApiStatusError, type KubeflectError, type SharedInformer } from '../../index.js';
import { openInformers } from '../api/open.js';
import { SELECTION_OPTIONS } from '../api/selection.js';
import { type OptionTable, parseArguments } from '../arguments/option-table.js';
import { UsageError } from '../arguments/usage-error.js';
import { durationMs, oneOf } from '../arguments/values.js';
import type { Command } from '../command.js';
import { note, paint, print } from '../terminal/output.js';
import { ProgressLine } from '../terminal/progress-line.js';
import { until } from '../until.js';
import { EventLines, type Format } from './event-lines.js';

const FORMATS: readonly Format[] = ['plain', 'name', 'json', 'wide'];

/** Of an index, the values with the most objects. */
const SHOWN_VALUES = 10;

const OPTIONS: OptionTable = {
  ...SELECTION_OPTIONS,
  output: { short: 'o', value: 'form', default: 'plain', help: FORMATS.join(', ') },
  index: {
    value: 'path',
    isMultiple: true,
    help: 'shows what is at this path, and counts by it: spec.nodeName',
  },
  once: { help: 'ends when everything that is there was shown' },
  'watch-only': { help: 'shows only what changes from now on' },
  for: { value: 'time', help: 'ends after this time, e.g. 5s or 1m (default at Ctrl-C)' },
};

export const watch: Command = {
  name: 'watch',
  usage: '<resource> [options]',
  summary: 'what is in a collection, and every change to it, as kubectl get -w',
  options: OPTIONS,
  notes: `<resource> is anything that the server has, found by discovery: pods, po, Deployment, deployments.apps, a custom resource.
With -o json, each line is one event. What is remarked, as counts and errors, goes to standard error.

  kubeflect watch pods -A --index spec.nodeName
  kubeflect watch deployments.apps -n shop -o wide
`,
  run,
};

async function run(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, OPTIONS, 1);
  const [name] = parsed.positionals;
  if (name === undefined) throw new UsageError('which resource?');
  const format = oneOf(parsed, 'output', FORMATS);
  const forMs = durationMs(parsed, 'for');
  const indexes = parsed.texts('index');
  const end = until(forMs);
  let refusal: string | undefined;
  try {
    await using opened = await openInformers(parsed, [name], {
      indexers: Object.fromEntries(indexes.map((path) => [path, path])),
      onError(error) {
        if (end.signal.aborted) return;
        // A collection that may not be read will not come by waiting, and a selector that is none will not become one.
        const code = refusalOf(error);
        if (opened.informers[0]?.mirror.hasSynced === false && code !== undefined) {
          refusal = code === 400 ? error.message : `${error.message}; "kubeflect doctor ${name}" says more`;
          end.abort();
        } else note(paint('dim', `${error.code}: ${error.message}`, process.stderr));
      },
    });
    const [informer] = opened.informers;
    if (informer === undefined) return 1;
    const { mirror, resource, total } = informer;
    const lines = new EventLines(format, resource.plural, indexes);
    if (lines.heading !== undefined) print(lines.heading);
    mirror.start({ signal: end.signal });
    const progress = new ProgressLine(
      () => opened.engine.stats().informers[0]?.listed ?? 0,
      resource.plural,
      total,
    );
    void mirror.synced.then(
      () => progress.end(),
      () => progress.end(),
    );
    for await (const event of mirror.events({ signal: end.signal })) {
      if (event.type === 'synced') {
        summarize(mirror, resource.plural, indexes);
        if (parsed.flag('once')) break;
      } else if (!(parsed.flag('watch-only') && event.type === 'add' && event.isInInitialList))
        print(lines.line(event));
    }
  } finally {
    end.cancel();
  }
  if (refusal !== undefined) throw new Error(refusal);
  return 0;
}

/** The server's code, if it will say the same again. */
function refusalOf(error: KubeflectError): number | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApiStatusError)
      return [400, 401, 403, 404].find((code) => code === (cause as ApiStatusError).status.code);
  }
  return undefined;
}

function summarize(mirror: SharedInformer, plural: string, indexes: readonly string[]): void {
  note(paint('dim', `${mirror.lister.entries().length} ${plural}`, process.stderr));
  for (const path of indexes) {
    const counts = mirror.indexer
      .listIndexFuncValues(path)
      .map((value) => ({ value, count: mirror.indexer.indexKeys(path, value).length }))
      .sort((a, b) => b.count - a.count);
    const shown = counts.slice(0, SHOWN_VALUES).map(({ value, count }) => `${value} ${count}`);
    const rest = counts.length > SHOWN_VALUES ? `, and ${counts.length - SHOWN_VALUES} others` : '';
    note(paint('dim', `by ${path}: ${shown.join(', ')}${rest}`, process.stderr));
  }
}
