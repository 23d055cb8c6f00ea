import { setTimeout as sleep } from 'node:timers/promises';
import { type Opened, openInformers } from '../api/open.js';
import { SELECTION_OPTIONS } from '../api/selection.js';
import { type OptionTable, type ParsedArguments, parseArguments } from '../arguments/option-table.js';
import { durationMs, wholeNumber } from '../arguments/values.js';
import type { Command } from '../command.js';
import { note, print } from '../terminal/output.js';
import { type Until, until } from '../until.js';
import { Sampler } from './sampler.js';
import { plainLines, Screen, screenLines } from './screen.js';
import type { Snapshot } from './snapshot.js';
import { WebView } from './web-view.js';

const OPTIONS: OptionTable = {
  ...SELECTION_OPTIONS,
  interval: { value: 'time', default: '1s', help: 'how often' },
  json: { help: 'one JSON document per line' },
  web: { help: 'as a page with charts, on 127.0.0.1 only' },
  port: { value: 'n', default: '0', help: 'of the page; 0 takes a free one' },
  for: { value: 'time', help: 'ends after this time, e.g. 5s or 1m (default at Ctrl-C)' },
};

export const top: Command = {
  name: 'top',
  usage: '[resource…] [options]',
  summary: 'a live view of informers: progress, events, event loop, memory, workers',
  options: OPTIONS,
  notes: `Runs informers of these resources (default pods) and shows what they do: on a terminal a screen, otherwise lines; with
--web also a page.

  kubeflect top pods deployments.apps -A
  kubeflect top pods -A --web --port 8080
`,
  run,
};

async function run(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, OPTIONS, 20);
  const names = parsed.positionals.length === 0 ? ['pods'] : parsed.positionals;
  const intervalMs = Math.max(100, durationMs(parsed, 'interval'));
  const port = wholeNumber(parsed, 'port', [0, 65_535], 0);
  const end = until(durationMs(parsed, 'for'));
  try {
    // The last error of each informer is part of what is shown.
    await using opened = await openInformers(parsed, names, { onError: () => {} });
    await show(opened, parsed, { intervalMs, port, end });
  } finally {
    end.cancel();
  }
  return 0;
}

interface Showing {
  readonly intervalMs: number;
  readonly port: number;
  readonly end: Until;
}

async function show(
  { engine, informers }: Opened,
  parsed: ParsedArguments,
  { intervalMs, port, end }: Showing,
): Promise<void> {
  const sampler = new Sampler(engine, informers);
  const web = parsed.flag('web') ? await WebView.start(port) : undefined;
  if (web !== undefined) note(`the page is at ${web.url}`);
  const screen = process.stdout.isTTY && !parsed.flag('json') ? new Screen(process.stdout) : undefined;
  const title = `kubeflect top ${informers.map(({ resource }) => resource.plural).join(' ')}${web ? `  ${web.url}` : ''}`;
  const draw = (snapshot: Snapshot): void => {
    web?.send(snapshot);
    if (parsed.flag('json')) print(JSON.stringify(snapshot));
    else if (screen !== undefined) screen.draw(screenLines(snapshot, title));
    else for (const line of plainLines(snapshot)) print(line);
  };
  try {
    for (const { mirror } of informers) mirror.start({ signal: end.signal });
    while (!end.signal.aborted) {
      await sleep(intervalMs, undefined, { signal: end.signal }).catch(() => {});
      if (!end.signal.aborted) draw(sampler.sample());
    }
  } finally {
    screen?.close();
    sampler.stop();
    await web?.close();
  }
}
