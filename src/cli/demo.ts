import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ApiServerHandle, type ServerCounters, startApiServer } from '../testing/index.js';
import { parseDuration } from './duration.js';
import { UsageError } from './usage-error.js';

export const DEMO_HELP = `kubeflect demo: an embedded API server with pods that change, and what it is doing

Usage: kubeflect demo [options]

Options:
  --pods <n>       how many pods it serves                       (default 10000)
  --churn <n>      how many of them change each second           (default 200)
  --for <time>     ends after this time, e.g. 5s or 1m           (default: at Ctrl-C)
  --port <n>       the port to listen on, 0 takes a free one     (default 0)
  --tls            https, by a CA of its own
  --help

It listens on 127.0.0.1 only. A kubeconfig for kubectl or any client is written to a file that it names,
and removed at the end.
`;

interface DemoOptions {
  readonly pods: number;
  readonly churn: number;
  readonly forMs: number;
  readonly port: number;
  readonly tls: boolean;
}

/** Runs until the time is over or Ctrl-C. */
export async function demo(args: string[]): Promise<void> {
  const options = readOptions(args);
  const until = endOfDemo(options.forMs);
  const server = await startApiServer({ port: options.port, tls: options.tls });
  const folder = await mkdtemp(join(tmpdir(), 'kubeflect-demo-'));
  try {
    const kubeConfigFile = join(folder, 'kubeconfig');
    await writeFile(kubeConfigFile, server.kubeConfig, { mode: 0o600 });
    await server.populate({ kind: 'Node', count: Math.max(1, Math.round(options.pods / 30)) });
    await server.populate({ kind: 'Pod', count: options.pods, churnPerSecond: options.churn });
    print(
      `embedded API server at ${server.url} with ${options.pods} pods, ${options.churn} changes a second`,
    );
    print(`try: kubectl --kubeconfig ${kubeConfigFile} get pods -A --watch-only`);
    print(`     kubectl --kubeconfig ${kubeConfigFile} get nodes`);
    await report(server, until.promise);
  } finally {
    until.cancel();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
  print('ended');
}

function readOptions(args: string[]): DemoOptions {
  const { values } = parse(args);
  return {
    pods: wholeNumber('--pods', values.pods, 1, 10_000_000),
    churn: wholeNumber('--churn', values.churn, 0, 1_000_000),
    forMs: values.for === undefined ? Number.POSITIVE_INFINITY : parseDuration(values.for, '--for'),
    port: wholeNumber('--port', values.port, 0, 65_535),
    tls: values.tls,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        pods: { type: 'string', default: '10000' },
        churn: { type: 'string', default: '200' },
        for: { type: 'string' },
        port: { type: 'string', default: '0' },
        tls: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(
    `${option} must be a whole number from ${least} to ${most}, got ${JSON.stringify(text)}`,
  );
}

/** Resolves at the end of the time, at Ctrl-C or at SIGTERM. */
function endOfDemo(forMs: number): { promise: Promise<void>; cancel(): void } {
  let cancel = (): void => {};
  const promise = new Promise<void>((resolve) => {
    const timer = Number.isFinite(forMs) ? setTimeout(resolve, forMs) : undefined;
    const stop = (): void => resolve();
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    cancel = () => {
      clearTimeout(timer);
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    };
  });
  return { promise, cancel };
}

/** One line a second: what there is, and what happened since the line before. */
async function report(server: ApiServerHandle, until: Promise<void>): Promise<void> {
  let isOver = false;
  void until.then(() => {
    isOver = true;
  });
  let before = await server.counters();
  let beforeMs = performance.now();
  while (!isOver) {
    await Promise.race([until, new Promise((resolve) => setTimeout(resolve, 1000))]);
    const now = await server.counters();
    const nowMs = performance.now();
    print(describe(before, now, (nowMs - beforeMs) / 1000));
    before = now;
    beforeMs = nowMs;
  }
}

function describe(before: ServerCounters, now: ServerCounters, seconds: number): string {
  const rate = (name: 'eventsWritten' | 'bytesWritten' | 'requests'): number =>
    (now[name] - before[name]) / seconds;
  const writes = (Number(now.resourceVersion) - Number(before.resourceVersion)) / seconds;
  return [
    `pods ${now.objects['pods'] ?? 0}`,
    `resourceVersion ${now.resourceVersion}`,
    `writes ${writes.toFixed(0)}/s`,
    `requests ${rate('requests').toFixed(0)}/s`,
    `watches ${now.openWatches}`,
    `events sent ${rate('eventsWritten').toFixed(0)}/s`,
    `sent ${(rate('bytesWritten') / 1e6).toFixed(1)} MB/s`,
  ].join('  ');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
