import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type ApiServerHandle, startApiServer } from '../../testing/index.js';
import { type OptionTable, type ParsedArguments, parseArguments } from '../arguments/option-table.js';
import { UsageError } from '../arguments/usage-error.js';
import { durationMs, wholeNumber } from '../arguments/values.js';
import type { Command } from '../command.js';
import { print } from '../terminal/output.js';
import { until } from '../until.js';

const OPTIONS: OptionTable = {
  kubeconfig: { value: 'file', help: 'where to write the kubeconfig (default a new file that is named)' },
  port: { value: 'n', default: '0', help: '0 takes a free one' },
  tls: { help: 'https, by a CA of its own' },
  token: { value: 'text', help: 'a bearer token that requests must carry' },
  pods: { value: 'n', default: '0', help: 'generated pods, with the nodes they are on' },
  churn: { value: 'n', default: '0', help: 'how many of them change each second' },
  for: { value: 'time', help: 'ends after this time, e.g. 5s or 1m (default at Ctrl-C)' },
  json: { help: 'says where it is as one line of JSON' },
};

export const serve: Command = {
  name: 'serve',
  usage: '[options]',
  summary: 'the embedded API server, with a kubeconfig for kubectl or any controller',
  options: OPTIONS,
  notes: `Listens on 127.0.0.1 only. The kubeconfig is removed at the end. Objects are kept in memory: the server is for
trying and testing, see docs/testing.md.

  kubeflect serve --pods 1000 --kubeconfig /tmp/kubeflect.config
  kubectl --kubeconfig /tmp/kubeflect.config get pods -A
`,
  run,
};

async function run(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, OPTIONS);
  const pods = wholeNumber(parsed, 'pods', [0, 10_000_000], 0);
  const churn = wholeNumber(parsed, 'churn', [0, 1_000_000], 0);
  const port = wholeNumber(parsed, 'port', [0, 65_535], 0);
  const token = parsed.text('token');
  const file = await kubeConfigFile(parsed);
  const end = until(durationMs(parsed, 'for'));
  let server: ApiServerHandle | undefined;
  try {
    server = await startApiServer({
      run: 'process',
      port,
      tls: parsed.flag('tls'),
      ...(token !== undefined && { token }),
    });
    if (pods > 0) {
      await server.populate({ kind: 'Node', count: Math.max(1, Math.round(pods / 30)) });
      await server.populate({ kind: 'Pod', count: pods, churnPerSecond: churn });
    }
    await writeFile(file.path, server.kubeConfig, { mode: 0o600 });
    if (parsed.flag('json'))
      print(JSON.stringify({ url: server.url, kubeconfig: file.path, pid: process.pid }));
    else {
      print(
        `embedded API server at ${server.url}${pods === 0 ? '' : ` with ${pods} pods, ${churn} changes a second`}`,
      );
      print(`kubeconfig: ${file.path}`);
      print(`try: kubectl --kubeconfig ${file.path} get pods -A`);
    }
    if (!end.signal.aborted) await end.promise;
  } finally {
    end.cancel();
    await server?.close();
    await rm(file.remove, { recursive: true, force: true });
  }
  return 0;
}

/** Never over a kubeconfig that is somebody's: only over one of an earlier run. */
async function kubeConfigFile(parsed: ParsedArguments): Promise<{ path: string; remove: string }> {
  const given = parsed.text('kubeconfig');
  if (given === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'kubeflect-serve-'));
    return { path: join(folder, 'kubeconfig'), remove: folder };
  }
  const path = resolve(given);
  if (!existsSync(dirname(path))) throw new UsageError(`--kubeconfig: there is no folder ${dirname(path)}`);
  if (existsSync(path) && !readFileSync(path, 'utf8').includes('"current-context": "kubeflect"')) {
    throw new UsageError(
      `--kubeconfig: ${path} is there already, and not of an earlier run; give another name`,
    );
  }
  return { path, remove: path };
}
