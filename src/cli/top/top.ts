import { setTimeout as sleep } from 'node:timers/promises';
import { type OpenInformers, openInformers } from '../api/open-informers.js';
import { SELECTION_OPTIONS } from '../api/resource-selection.js';
import { durationMs, integer } from '../arguments/option-values.js';
import { type OptionTable, type ParsedArguments, parseArguments } from '../arguments/parse-arguments.js';
import type { Command } from '../command.js';
import { FOR_OPTION, StopSignal } from '../stop-signal.js';
import { print, printNote } from '../terminal/output.js';
import { Sampler, type Snapshot } from './sampler.js';
import { plainLines, Screen, screenLines } from './screen.js';
import { WebView } from './web-view.js';

const MAX_RESOURCES = 20;
const MIN_INTERVAL_MS = 100;

const OPTIONS: OptionTable = {
  ...SELECTION_OPTIONS,
  interval: { value: 'duration', default: '1s', help: 'Time between updates' },
  json: { help: 'Print each update as one line of JSON' },
  web: { help: 'Also serve a web page with charts, on 127.0.0.1 only' },
  port: { value: 'n', default: '0', help: 'Port of the web page; 0 chooses a free one' },
  ...FOR_OPTION,
};

export const top: Command = {
  name: 'top',
  usage: '[resource…] [options]',
  summary: 'Show live statistics of informers: progress, events, event loop, memory, workers',
  options: OPTIONS,
  notes: `Runs an informer for each resource (default: pods). On a terminal it draws a screen, otherwise it
prints lines.

Examples:
  kubeflect top pods deployments.apps -A
  kubeflect top pods -A --web --port 8080
`,
  run,
};

interface ViewOptions {
  readonly intervalMs: number;
  readonly isJson: boolean;
  /** Undefined without a web page. */
  readonly webPort: number | undefined;
}

async function run(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, OPTIONS, MAX_RESOURCES);
  const names = parsed.positionals.length === 0 ? ['pods'] : parsed.positionals;
  const options = viewOptions(parsed);
  using stop = new StopSignal(parsed);
  // Errors need no reporting: the last one of each informer is shown.
  await using opened = await openInformers(parsed, names, { onError: () => {} });
  await show(opened, options, stop);
  return 0;
}

function viewOptions(parsed: ParsedArguments): ViewOptions {
  const port = integer(parsed, 'port', [0, 65_535], 0);
  return {
    intervalMs: Math.max(MIN_INTERVAL_MS, durationMs(parsed, 'interval')),
    isJson: parsed.flag('json'),
    webPort: parsed.flag('web') ? port : undefined,
  };
}

async function show(
  { engine, informers }: OpenInformers,
  { intervalMs, isJson, webPort }: ViewOptions,
  stop: StopSignal,
): Promise<void> {
  const sampler = new Sampler(engine, informers);
  const web = webPort === undefined ? undefined : await WebView.start(webPort);
  if (web !== undefined) printNote(`web page: ${web.url}`);
  const screen = process.stdout.isTTY && !isJson ? new Screen(process.stdout) : undefined;
  const plurals = informers.map(({ resource }) => resource.plural).join(' ');
  const title = `kubeflect top ${plurals}${web ? `  ${web.url}` : ''}`;
  const draw = (snapshot: Snapshot): void => {
    web?.send(snapshot);
    if (isJson) print(JSON.stringify(snapshot));
    else if (screen !== undefined) screen.draw(screenLines(snapshot, title));
    else for (const line of plainLines(snapshot)) print(line);
  };
  try {
    for (const { informer } of informers) informer.start({ signal: stop.signal });
    while (!stop.isStopped) {
      await sleep(intervalMs, undefined, { signal: stop.signal }).catch(() => {});
      if (!stop.isStopped) draw(sampler.sample());
    }
  } finally {
    screen?.close();
    sampler.stop();
    await web?.close();
  }
}
