import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { KubeConfigLike } from '../../auth/kube-config/kube-config.js';
import { parseYaml } from './yaml.js';

/** There is no kubeconfig, it cannot be read, or it does not say which cluster. */
export class KubeConfigError extends Error {}

export interface KubeConfigChoice {
  /** @default KUBECONFIG, or ~/.kube/config */
  readonly file?: string | undefined;
  /** @default the current one */
  readonly context?: string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** The chosen context of a kubeconfig, in the form that an engine takes. */
export interface LoadedKubeConfig extends KubeConfigLike {
  readonly files: readonly string[];
  readonly context: string;
  /** Of the context; `default` if it has none. */
  readonly namespace: string;
}

type Fields = Readonly<Record<string, unknown>>;

interface Named {
  readonly name: string;
  /** What paths in it are relative to. */
  readonly folder: string;
  readonly fields: Fields;
}

/** Reads it as kubectl does: several files are one, of two entries of a name the first counts. Throws a `KubeConfigError`. */
export function loadKubeConfig(choice: KubeConfigChoice = {}): LoadedKubeConfig {
  const files = filesOf(choice);
  const documents = files.flatMap((file) => readDocument(file, files.length > 1));
  if (documents.length === 0)
    throw new KubeConfigError(`there is no kubeconfig: ${files.join(', ')} is not there`);
  const named = (list: string, entry: string): Named[] =>
    documents.flatMap(({ folder, fields }) =>
      arrayOf(fields[list]).map((item) => ({
        name: String(item['name']),
        folder,
        fields: fieldsOf(item[entry]),
      })),
    );
  const current = documents
    .map(({ fields }) => fields['current-context'])
    .find((name) => name !== undefined && name !== '');
  const contextName = choice.context ?? (typeof current === 'string' ? current : undefined);
  if (contextName === undefined)
    throw new KubeConfigError(`${files.join(', ')} has no current-context; give --context`);
  const pick = (list: string, entry: string, name: string): Named => {
    const found = named(list, entry).find((one) => one.name === name);
    if (found === undefined)
      throw new KubeConfigError(`${files.join(', ')} has no entry ${JSON.stringify(name)} in ${list}`);
    return found;
  };
  const context = pick('contexts', 'context', contextName).fields;
  const cluster = clusterOf(pick('clusters', 'cluster', String(context['cluster'])));
  const userName = context['user'];
  const user = typeof userName === 'string' && userName !== '' ? userOf(pick('users', 'user', userName)) : {};
  return {
    files,
    context: contextName,
    namespace: textOf(context['namespace']) ?? 'default',
    getCurrentCluster: () => cluster,
    getCurrentUser: () => user,
  };
}

function filesOf({ file, environment = process.env }: KubeConfigChoice): string[] {
  if (file !== undefined) return [file];
  const listed = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  return listed.length > 0 ? listed : [join(homedir(), '.kube', 'config')];
}

function readDocument(file: string, mayBeMissing: boolean): { folder: string; fields: Fields }[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      if (mayBeMissing) return [];
      throw new KubeConfigError(
        `there is no kubeconfig: ${file} is not there; give --kubeconfig, or set KUBECONFIG`,
      );
    }
    throw new KubeConfigError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  try {
    const document = text.trimStart().startsWith('{') ? (JSON.parse(text) as unknown) : parseYaml(text);
    return [{ folder: dirname(resolve(file)), fields: fieldsOf(document) }];
  } catch (error) {
    // JSON.parse quotes what it read, and that may be a token.
    const why = error instanceof SyntaxError ? 'it is no JSON' : String((error as Error).message);
    throw new KubeConfigError(
      `${file} cannot be read: ${why}. "kubectl config view --raw -o json" writes it in a form that can`,
    );
  }
}

type Cluster = NonNullable<ReturnType<KubeConfigLike['getCurrentCluster']>>;
type User = NonNullable<ReturnType<KubeConfigLike['getCurrentUser']>>;

function clusterOf({ name, folder, fields }: Named): Cluster {
  const server = textOf(fields['server']);
  if (server === undefined)
    throw new KubeConfigError(`the cluster ${JSON.stringify(name)} of the kubeconfig has no server`);
  return {
    server,
    caData: textOf(fields['certificate-authority-data']),
    caFile: pathOf(fields['certificate-authority'], folder),
    skipTLSVerify: fields['insecure-skip-tls-verify'] === true,
    tlsServerName: textOf(fields['tls-server-name']),
    proxyUrl: textOf(fields['proxy-url']),
  };
}

function userOf({ folder, fields }: Named): User {
  const exec = fields['exec'];
  return {
    certData: textOf(fields['client-certificate-data']),
    certFile: pathOf(fields['client-certificate'], folder),
    keyData: textOf(fields['client-key-data']),
    keyFile: pathOf(fields['client-key'], folder),
    token: textOf(fields['token']),
    tokenFile: pathOf(fields['tokenFile'], folder),
    username: textOf(fields['username']),
    password: textOf(fields['password']),
    ...(exec !== undefined && exec !== null && { exec: execOf(fieldsOf(exec), folder) }),
    ...(fields['auth-provider'] ? { authProvider: fields['auth-provider'] } : {}),
    impersonateUser: textOf(fields['as']),
    impersonateUid: textOf(fields['as-uid']),
    impersonateGroups: fields['as-groups'] === undefined ? undefined : (fields['as-groups'] as string[]),
    impersonateUserExtra: fields['as-user-extra'] as Record<string, string[]> | undefined,
  };
}

/** A command with a slash is relative to the kubeconfig, as kubectl has it. */
function execOf(exec: Fields, folder: string): Fields {
  const { command } = exec;
  return typeof command === 'string' && command.includes('/')
    ? { ...exec, command: resolve(folder, command) }
    : exec;
}

function pathOf(value: unknown, folder: string): string | undefined {
  const path = textOf(value);
  return path === undefined ? undefined : resolve(folder, path);
}

/** A number or a boolean where a text belongs is what somebody did not quote. */
function textOf(value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function arrayOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
