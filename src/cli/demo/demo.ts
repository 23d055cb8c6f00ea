import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ListMode } from '../../engine/informer-options.js';
import { Engine, type SharedInformer } from '../../index.js';
import { integer, oneOf } from '../arguments/option-values.js';
import { type OptionTable, type ParsedArguments, parseArguments } from '../arguments/parse-arguments.js';
import type { Command } from '../command.js';
import { type EmbeddedServer, serverOptions, startEmbeddedServer } from '../serve/embedded-server.js';
import { FOR_OPTION, StopSignal } from '../stop-signal.js';
import { print } from '../terminal/output.js';
import { DemoReport } from './demo-report.js';

const LIST_MODES: readonly ListMode[] = ['auto', 'paged', 'full', 'stream'];

const OPTIONS: OptionTable = {
  ...serverOptions(50_000, 500),
  workers: { value: 'n', help: 'Worker threads; 0 decodes on the main thread (default: cores - 1, 1 to 4)' },
  list: { value: 'mode', default: 'auto', help: `How to list: ${LIST_MODES.join(', ')}` },
  'page-size': { value: 'n', default: '2000', help: 'Objects per page of a paged list' },
  ...FOR_OPTION,
};

export const demo: Command = {
  name: 'demo',
  usage: '[options]',
  summary: 'Run an informer on an embedded API server whose pods keep changing',
  options: OPTIONS,
  notes: `The server is a process of its own and listens on 127.0.0.1 only. The demo prints the path of a
kubeconfig for it, which is deleted when it stops.
`,
  run,
};

async function run(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, OPTIONS);
  const options = engineOptions(parsed);
  using stop = new StopSignal(parsed);
  const embedded = await startEmbeddedServer(parsed);
  const folder = await mkdtemp(join(tmpdir(), 'kubeflect-demo-'));
  try {
    const kubeConfigFile = join(folder, 'kubeconfig');
    await writeFile(kubeConfigFile, embedded.server.kubeConfig, { mode: 0o600 });
    print(embedded.description);
    print(`try: kubectl --kubeconfig ${kubeConfigFile} get pods -A --watch-only`);
    if (!stop.isStopped) await runInformer(embedded, options, stop);
  } finally {
    await embedded.server.close();
    await rm(folder, { recursive: true, force: true });
  }
  print('stopped');
  return 0;
}

interface EngineOptions {
  readonly workers: number | undefined;
  readonly list: ListMode;
  readonly pageSize: number;
}

function engineOptions(parsed: ParsedArguments): EngineOptions {
  return {
    workers: integer(parsed, 'workers', [0, 64], undefined),
    list: oneOf(parsed, 'list', LIST_MODES),
    pageSize: integer(parsed, 'page-size', [1, 100_000], 2000),
  };
}

async function runInformer(
  { server: { url, ca }, pods: total }: EmbeddedServer,
  { workers, ...options }: EngineOptions,
  stop: StopSignal,
): Promise<void> {
  await using engine = new Engine({
    connection: { server: url, headers: {}, ...(ca === undefined ? {} : { tls: { ca } }) },
    ...(workers === undefined ? {} : { workers }),
    onError: (error) => stop.isStopped || print(`${error.code}: ${error.message}`),
  });
  const pods = engine.informer({
    apiVersion: 'v1',
    kind: 'Pod',
    plural: 'pods',
    indexers: { byNode: 'spec.nodeName' },
    ...options,
  });
  const report = new DemoReport(engine);
  try {
    const startedAtMs = performance.now();
    pods.start({ signal: stop.signal });
    await printProgress(pods, report, total, stop);
    if (stop.isStopped) return;
    print(`synced after ${((performance.now() - startedAtMs) / 1000).toFixed(2)} s`);
    for (;;) {
      await Promise.race([stop.stopped, sleep(1000)]);
      print(report.live());
      if (stop.isStopped) return;
    }
  } finally {
    report.stop();
  }
}

async function printProgress(
  pods: SharedInformer,
  report: DemoReport,
  total: number,
  stop: StopSignal,
): Promise<void> {
  // Rejects if the demo is stopped before.
  const synced = pods.synced.catch(() => {});
  for (;;) {
    await Promise.race([synced, stop.stopped, sleep(500)]);
    print(report.progress(total));
    if (pods.hasSynced || stop.isStopped) return;
  }
}
