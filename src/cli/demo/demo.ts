import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine, type KubernetesObject, type SharedInformer } from '../../index.js';
import { type ApiServerHandle, startApiServer } from '../../testing/index.js';
import type { Command } from '../command.js';
import { print } from '../terminal/output.js';
import { type Until, until } from '../until.js';
import { DEMO_OPTIONS, type DemoOptions, readDemoOptions } from './demo-options.js';
import { DemoReport } from './demo-report.js';

export const demo: Command = {
  name: 'demo',
  usage: '[options]',
  summary: 'an engine on an embedded API server with pods that change',
  options: DEMO_OPTIONS,
  notes: `The server is a process of its own and listens on 127.0.0.1 only. A kubeconfig for kubectl or any client is written
to a file that it names, and removed at the end.
`,
  run,
};

/** Until the time is over or Ctrl-C. */
async function run(args: readonly string[]): Promise<number> {
  const options = readDemoOptions(args);
  const end = until(options.forMs);
  const server = await startApiServer({ run: 'process', port: options.port, tls: options.tls });
  const folder = await mkdtemp(join(tmpdir(), 'kubeflect-demo-'));
  try {
    await populate(server, options, join(folder, 'kubeconfig'));
    if (!end.signal.aborted) await mirror(server, options, end);
  } finally {
    end.cancel();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
  print('ended');
  return 0;
}

async function populate(
  server: ApiServerHandle,
  options: DemoOptions,
  kubeConfigFile: string,
): Promise<void> {
  await writeFile(kubeConfigFile, server.kubeConfig, { mode: 0o600 });
  await server.populate({ kind: 'Node', count: Math.max(1, Math.round(options.pods / 30)) });
  await server.populate({ kind: 'Pod', count: options.pods, churnPerSecond: options.churn });
  print(`embedded API server at ${server.url} with ${options.pods} pods, ${options.churn} changes a second`);
  print(`try: kubectl --kubeconfig ${kubeConfigFile} get pods -A --watch-only`);
}

async function mirror(server: ApiServerHandle, options: DemoOptions, end: Until): Promise<void> {
  const { url, ca } = server;
  await using engine = new Engine({
    connection: { server: url, headers: {}, ...(ca === undefined ? {} : { tls: { ca } }) },
    ...(options.workers === undefined ? {} : { workers: options.workers }),
    onError: (error) => end.signal.aborted || print(`${error.code}: ${error.message}`),
  });
  const pods = engine.informer({
    apiVersion: 'v1',
    kind: 'Pod',
    plural: 'pods',
    list: options.list,
    pageSize: options.pageSize,
    indexers: { byNode: 'spec.nodeName' },
  });
  const report = new DemoReport(engine);
  try {
    const startedAtMs = performance.now();
    pods.start({ signal: end.signal });
    await progress(pods, report, options, end);
    if (end.signal.aborted) return;
    print(`synced after ${((performance.now() - startedAtMs) / 1000).toFixed(2)} s`);
    for (;;) {
      await Promise.race([end.promise, sleep(1000)]);
      print(report.live());
      if (end.signal.aborted) return;
    }
  } finally {
    report.stop();
  }
}

async function progress(
  pods: SharedInformer<KubernetesObject>,
  report: DemoReport,
  options: DemoOptions,
  end: Until,
): Promise<void> {
  // Rejects if the demo ends before.
  const synced = pods.synced.catch(() => {});
  for (;;) {
    await Promise.race([synced, end.promise, sleep(500)]);
    print(report.progress(options.pods));
    if (pods.hasSynced || end.signal.aborted) return;
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
