import { invalidOption } from '../../util/check-options.js';

/** The `exec` of a kubeconfig's user. */
export interface ExecPlugin {
  /** `client.authentication.k8s.io/v1` or `…/v1beta1`. */
  readonly apiVersion: string;
  /** A program; searched in PATH if it has no slash. Never run by a shell. */
  readonly command: string;
  readonly args?: readonly string[] | null;
  /** Added to the environment of this process. */
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  /** Part of the error if the program is not found. */
  readonly installHint?: string | null;
  /** Whether KUBERNETES_EXEC_INFO describes the cluster. @default false */
  readonly provideClusterInfo?: boolean | null;
  /** `Always` is rejected: the plugin's standard input is empty. */
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always' | null;
}

/** Which plugins may run: all, none, or those whose `command` is exactly in the list. */
export type ExecPolicy = 'allow' | 'deny' | readonly string[];

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/**
 * Throws `KUBEFLECT_OPTION_INVALID` for a plugin that cannot or must not run. Quotes neither arguments nor
 * environment.
 */
export function checkExecPlugin(plugin: ExecPlugin, policy: ExecPolicy): void {
  const { apiVersion, command, args, env, interactiveMode } = plugin;
  if (typeof command !== 'string' || command === '') throw invalid('has no command');
  if (!API_VERSIONS.includes(apiVersion)) {
    throw invalid(`${command} must have an apiVersion of ${API_VERSIONS.join(' or ')}`);
  }
  if (interactiveMode === 'Always') {
    throw invalid(`${command} requires a terminal (interactiveMode: Always), which an engine does not have`);
  }
  if (!isListOf(args, (arg) => typeof arg === 'string'))
    throw invalid(`${command} must have an array of strings as args`);
  const isVariable = (entry: unknown): boolean => {
    const { name, value } = Object(entry) as Record<string, unknown>;
    return typeof name === 'string' && typeof value === 'string';
  };
  if (!isListOf(env, isVariable)) throw invalid(`${command} must have an array of { name, value } as env`);
  if (policy === 'allow' || (policy !== 'deny' && policy.includes(command))) return;
  throw invalid(`${command} is not allowed by the option execPlugins`);
}

function isListOf(list: unknown, isItem: (item: unknown) => boolean): boolean {
  return list === undefined || list === null || (Array.isArray(list) && list.every(isItem));
}

function invalid(what: string): Error {
  return invalidOption('Engine', `the exec plugin ${what}`);
}
