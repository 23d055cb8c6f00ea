import { invalidOption } from '../../util/check-options.js';

/** As in a kubeconfig, under `exec`. */
export interface ExecPlugin {
  /** `client.authentication.k8s.io/v1` or `…/v1beta1`. */
  readonly apiVersion: string;
  /** A program; looked for in PATH if it has no slash. Never given to a shell. */
  readonly command: string;
  readonly args?: readonly string[] | null;
  /** On top of the environment of this process. */
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  /** Told when the program is not there. */
  readonly installHint?: string | null;
  /** Tell it of the cluster, in KUBERNETES_EXEC_INFO. @default false */
  readonly provideClusterInfo?: boolean | null;
  /** `Always` is refused: its standard input is empty. */
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always' | null;
}

/** Which plugins may run: all, none, or those whose `command` is in the list, letter by letter. */
export type ExecPolicy = 'allow' | 'deny' | readonly string[];

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** Throws `KUBEFLECT_OPTION_INVALID` for what can never be run, or must not be. Quotes neither arguments nor environment. */
export function checkExecPlugin(plugin: ExecPlugin, policy: ExecPolicy): void {
  const { apiVersion, command, args, env, interactiveMode } = plugin;
  if (typeof command !== 'string' || command === '') throw invalid('has no command');
  if (!API_VERSIONS.includes(apiVersion)) {
    throw invalid(`${command} must have one of the API versions ${API_VERSIONS.join(', ')}`);
  }
  if (interactiveMode === 'Always') {
    throw invalid(`${command} wants a terminal (interactiveMode: Always), and there is none here`);
  }
  if (!isListOf(args, (arg) => typeof arg === 'string')) throw invalid(`${command} must have texts as args`);
  const isVariable = (entry: unknown): boolean => {
    const { name, value } = Object(entry) as Record<string, unknown>;
    return typeof name === 'string' && typeof value === 'string';
  };
  if (!isListOf(env, isVariable)) throw invalid(`${command} must have an env of names and values`);
  if (policy === 'allow' || (policy !== 'deny' && policy.includes(command))) return;
  throw invalid(`${command} is not allowed to run by the option execPlugins`);
}

function isListOf(list: unknown, isItem: (item: unknown) => boolean): boolean {
  return list === undefined || list === null || (Array.isArray(list) && list.every(isItem));
}

function invalid(what: string): Error {
  return invalidOption('Engine', `the exec plugin ${what}`);
}
