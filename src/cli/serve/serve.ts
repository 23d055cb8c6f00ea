import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  type OptionTable,
  type ParsedArguments,
  parseArguments,
  UsageError,
} from '../arguments/parse-arguments.js';
import type { Command } from '../command.js';
import { FOR_OPTION, StopSignal } from '../stop-signal.js';
import { print } from '../terminal/output.js';
import { type EmbeddedServer, serverOptions, startEmbeddedServer } from './embedded-server.js';

const OPTIONS: OptionTable = {
  kubeconfig: { value: 'file', help: 'Where to write the kubeconfig (default: a temporary file)' },
  ...serverOptions(0, 0),
  token: { value: 'token', help: 'Require this bearer token' },
  ...FOR_OPTION,
  json: { help: 'Print address and version as one line of JSON' },
};

export const serve: Command = {
  name: 'serve',
  usage: '[options]',
  summary: 'Run the embedded API server, and write a kubeconfig for kubectl or any controller',
  options: OPTIONS,
  notes: `The server listens on 127.0.0.1 only and keeps its objects in memory: it is for development and
tests, see docs/testing.md. The kubeconfig is deleted when it stops.

Examples:
  kubeflect serve --pods 1000 --kubeconfig /tmp/kubeflect.config
  kubectl --kubeconfig /tmp/kubeflect.config get pods -A
`,
  run,
};

async function run(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, OPTIONS);
  using stop = new StopSignal(parsed);
  const file = await kubeConfigFile(parsed);
  let embedded: EmbeddedServer | undefined;
  try {
    embedded = await startEmbeddedServer(parsed, parsed.string('token'));
    const { server, description } = embedded;
    await writeFile(file.path, server.kubeConfig, { mode: 0o600 });
    if (parsed.flag('json')) {
      const { url, gitVersion } = server;
      print(JSON.stringify({ url, kubernetes: gitVersion, kubeconfig: file.path, pid: process.pid }));
    } else {
      print(description);
      print(`kubeconfig: ${file.path}`);
      print(`try: kubectl --kubeconfig ${file.path} get pods -A`);
    }
    if (!stop.isStopped) await stop.stopped;
  } finally {
    await embedded?.server.close();
    await rm(file.toRemove, { recursive: true, force: true });
  }
  return 0;
}

/** Overwrites only a kubeconfig of an earlier run. Rejects with a `UsageError` for any other existing file. */
async function kubeConfigFile(parsed: ParsedArguments): Promise<{ path: string; toRemove: string }> {
  const option = parsed.string('kubeconfig');
  if (option === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'kubeflect-serve-'));
    return { path: join(folder, 'kubeconfig'), toRemove: folder };
  }
  const path = resolve(option);
  if (!existsSync(dirname(path)))
    throw new UsageError(`--kubeconfig: folder ${dirname(path)} does not exist`);
  if (existsSync(path) && !readFileSync(path, 'utf8').includes('"current-context": "kubeflect"')) {
    throw new UsageError(`--kubeconfig: ${path} exists and was not written by "kubeflect serve"`);
  }
  return { path, toRemove: path };
}
