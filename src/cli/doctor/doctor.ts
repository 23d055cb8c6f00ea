import { ApiClient } from '../api/api-client.js';
import { CLUSTER_OPTIONS, selectedKubeConfig } from '../api/resource-selection.js';
import { type OptionTable, type ParsedArguments, parseArguments } from '../arguments/parse-arguments.js';
import type { Command } from '../command.js';
import { paint, print, type Style } from '../terminal/output.js';
import { classifyError, type Finding, type Verdict } from './classify-error.js';
import { Diagnosis } from './diagnosis.js';

const OPTIONS: OptionTable = {
  namespace: { short: 'n', value: 'name', help: 'Check this namespace only (default: all)' },
  ...CLUSTER_OPTIONS,
  json: { help: 'Print the findings as one JSON document' },
};

export const doctor: Command = {
  name: 'doctor',
  usage: '[resource] [options]',
  summary: 'Check everything that an informer needs, and suggest what to change',
  options: OPTIONS,
  notes: `Checks the kubeconfig, the connection to the server, its certificate, the credentials, the permissions
to list and watch the resource (default: pods), the server's version and whether the protobuf schema is
as new, streaming lists, bookmarks and gzip. Sends a few small read requests. The exit code is 1 if an
informer could not work.
`,
  run,
};

const MARKS: Readonly<Record<Verdict, { readonly mark: string; readonly style: Style }>> = {
  ok: { mark: 'ok  ', style: 'green' },
  warn: { mark: 'warn', style: 'yellow' },
  fail: { mark: 'FAIL', style: 'red' },
  unknown: { mark: '?   ', style: 'dim' },
};

async function run(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, OPTIONS, 1);
  const isJson = parsed.flag('json');
  const findings: Finding[] = [];
  for await (const finding of diagnose(parsed)) {
    findings.push(finding);
    if (!isJson) printFinding(finding);
  }
  const ok = findings.every(({ verdict }) => verdict !== 'fail');
  if (isJson) print(JSON.stringify({ ok, findings }, undefined, 2));
  return ok ? 0 : 1;
}

async function* diagnose(parsed: ParsedArguments): AsyncGenerator<Finding, void, undefined> {
  let client: ApiClient | undefined;
  try {
    const kubeConfig = await selectedKubeConfig(parsed);
    const { server, skipTLSVerify } = kubeConfig.getCurrentCluster() ?? { server: '' };
    yield {
      check: 'kubeconfig',
      verdict: 'ok',
      detail: `${kubeConfig.files.join(', ')}, context ${kubeConfig.context}, ${server}`,
    };
    if (skipTLSVerify && server.startsWith('https:')) {
      yield {
        check: 'certificate',
        verdict: 'warn',
        fault: 'insecure',
        detail: "the server's certificate is not verified: insecure-skip-tls-verify is set",
        advice: 'set certificate-authority instead',
      };
    }
    client = new ApiClient(kubeConfig);
    const resource = parsed.positionals[0] ?? 'pods';
    yield* new Diagnosis(client, resource, parsed.string('namespace')).findings();
  } catch (error) {
    const finding = classifyError(error);
    if (finding === undefined) throw error;
    yield finding;
  } finally {
    client?.close();
  }
}

function printFinding({ check, verdict, detail, advice }: Finding): void {
  const { mark, style } = MARKS[verdict];
  print(`${paint(style, mark)}  ${check.padEnd(14)}  ${detail}`);
  if (advice !== undefined) print(`${' '.repeat(22)}${paint('bold', `→ ${advice}`)}`);
}
