import { ApiClient } from '../api/api-client.js';
import { type OptionTable, parseArguments } from '../arguments/option-table.js';
import type { Command } from '../command.js';
import { CONNECTION_OPTIONS, chosenKubeConfig } from '../connection-options.js';
import { KubeConfigError, type LoadedKubeConfig } from '../kube-config/load-kube-config.js';
import { paint, print, type Style } from '../terminal/output.js';
import { faultOf } from './classify-error.js';
import { Diagnosis } from './diagnosis.js';
import { Fatal, type Finding, type Verdict } from './finding.js';

const OPTIONS: OptionTable = {
  namespace: { short: 'n', value: 'name', help: 'looks at this namespace only (default all)' },
  ...CONNECTION_OPTIONS,
  json: { help: 'the findings as one JSON document' },
};

export const doctor: Command = {
  name: 'doctor',
  usage: '[resource] [options]',
  summary: 'looks at everything an informer needs, and says what to change',
  options: OPTIONS,
  notes: `Looks at the kubeconfig, the way to the server, its certificate, the credentials, the permissions to list and watch the
resource (default pods), the version, streaming lists, bookmarks and gzip. Reads only, and very little. Exit code 1 if an
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
  for await (const finding of diagnose(
    () => chosenKubeConfig(parsed),
    parsed.positionals[0] ?? 'pods',
    parsed.text('namespace'),
  )) {
    findings.push(finding);
    if (!isJson) show(finding);
  }
  const isWell = findings.every(({ verdict }) => verdict !== 'fail');
  if (isJson) print(JSON.stringify({ ok: isWell, findings }, undefined, 2));
  return isWell ? 0 : 1;
}

async function* diagnose(
  load: () => Promise<LoadedKubeConfig>,
  resource: string,
  namespace: string | undefined,
): AsyncGenerator<Finding, void, undefined> {
  let client: ApiClient | undefined;
  try {
    const kubeConfig = await load();
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
        detail: 'the certificate of the server is not verified: insecure-skip-tls-verify is set',
        advice: 'name its authority in certificate-authority instead',
      };
    }
    client = new ApiClient(kubeConfig);
    yield* new Diagnosis(client, resource, namespace).findings();
  } catch (error) {
    const fault = faultOf(error);
    if (fault instanceof Fatal) yield fault.finding;
    else if (fault instanceof KubeConfigError)
      yield { check: 'kubeconfig', verdict: 'fail', fault: 'kubeconfig', detail: fault.message };
    else throw fault;
  } finally {
    client?.close();
  }
}

function show({ check, verdict, detail, advice }: Finding): void {
  const { mark, style } = MARKS[verdict];
  print(`${paint(style, mark)}  ${check.padEnd(14)}  ${detail}`);
  if (advice !== undefined) print(`${' '.repeat(22)}${paint('bold', `→ ${advice}`)}`);
}
