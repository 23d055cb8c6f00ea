import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { KubeConfigLike } from '../../auth/kube-config/kube-config.js';
import { ClientNodeAuthProvider } from './auth-provider.js';
import { parseYaml } from './parse-yaml.js';

/** No kubeconfig was found, it cannot be read, or it lacks what was asked for. */
export class KubeConfigError extends Error {}

export interface KubeConfigSelection {
  /** @default the files in KUBECONFIG, or ~/.kube/config */
  readonly file?: string | undefined;
  /** @default the current context */
  readonly context?: string | undefined;
  /** @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** One context of a kubeconfig, in the form that an engine accepts. */
export interface LoadedKubeConfig extends KubeConfigLike {
  readonly files: readonly string[];
  readonly context: string;
  /** The namespace of the context, or `default`. */
  readonly namespace: string;
}

type Fields = Readonly<Record<string, unknown>>;

interface KubeConfigFile {
  readonly folder: string;
  readonly fields: Fields;
}

interface NamedEntry {
  readonly name: string;
  /** Paths in the entry are relative to the folder of its file. */
  readonly folder: string;
  readonly fields: Fields;
}

/** Merges several files as kubectl does: the first entry of a name wins. Rejects with a `KubeConfigError`. */
export async function loadKubeConfig(selection: KubeConfigSelection = {}): Promise<LoadedKubeConfig> {
  const files = fileNames(selection);
  const label = files.join(', ');
  const contents = (
    await Promise.all(files.map((file) => readKubeConfigFile(file, files.length > 1)))
  ).flat();
  if (contents.length === 0) throw new KubeConfigError(`no kubeconfig found: ${label} does not exist`);
  const findEntry = (list: string, field: string, name: string): NamedEntry => {
    const entry = contents
      .flatMap((file) => namedEntries(file, list, field))
      .find((candidate) => candidate.name === name);
    if (entry === undefined)
      throw new KubeConfigError(`${label}: no entry ${JSON.stringify(name)} in ${list}`);
    return entry;
  };

  const currentContext = contents
    .map(({ fields }) => optionalString(fields['current-context']))
    .find(Boolean);
  const contextName = selection.context ?? currentContext;
  if (contextName === undefined) {
    throw new KubeConfigError(`${label}: current-context is not set; choose one with --context`);
  }
  const context = findEntry('contexts', 'context', contextName).fields;
  const cluster = toCluster(findEntry('clusters', 'cluster', String(context['cluster'])));
  const userName = optionalString(context['user']);
  const user: User = userName === undefined ? {} : toUser(findEntry('users', 'user', userName));
  const provider = new ClientNodeAuthProvider(user.authProvider);
  return {
    files,
    context: contextName,
    namespace: optionalString(context['namespace']) ?? 'default',
    getCurrentCluster: () => cluster,
    getCurrentUser: () => user,
    applyToHTTPSOptions: (options) => provider.applyToHTTPSOptions(options),
  };
}

function fileNames({ file, environment = process.env }: KubeConfigSelection): string[] {
  if (file !== undefined) return [file];
  const listed = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  return listed.length > 0 ? listed : [join(homedir(), '.kube', 'config')];
}

/** An empty list if the file does not exist and need not. */
async function readKubeConfigFile(file: string, isOptional: boolean): Promise<KubeConfigFile[]> {
  let source: string;
  try {
    source = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new KubeConfigError(`cannot read ${file}: ${code}`);
    if (isOptional) return [];
    throw new KubeConfigError(
      `no kubeconfig found: ${file} does not exist; pass --kubeconfig or set KUBECONFIG`,
    );
  }
  try {
    return [{ folder: dirname(resolve(file)), fields: fieldsOf(await parseYaml(source)) }];
  } catch (error) {
    throw new KubeConfigError(`${file} is not valid YAML: ${(error as Error).message}`);
  }
}

function namedEntries({ folder, fields }: KubeConfigFile, list: string, field: string): NamedEntry[] {
  const items = fields[list];
  if (!Array.isArray(items)) return [];
  return items.map(fieldsOf).map((item) => ({
    name: String(item['name']),
    folder,
    fields: fieldsOf(item[field]),
  }));
}

type Cluster = NonNullable<ReturnType<KubeConfigLike['getCurrentCluster']>>;
type User = NonNullable<ReturnType<KubeConfigLike['getCurrentUser']>>;

function toCluster({ name, folder, fields }: NamedEntry): Cluster {
  const server = optionalString(fields['server']);
  if (server === undefined) {
    throw new KubeConfigError(`cluster ${JSON.stringify(name)} of the kubeconfig has no server`);
  }
  return {
    server,
    caData: optionalString(fields['certificate-authority-data']),
    caFile: optionalPath(fields['certificate-authority'], folder),
    skipTLSVerify: fields['insecure-skip-tls-verify'] === true,
    tlsServerName: optionalString(fields['tls-server-name']),
    proxyUrl: optionalString(fields['proxy-url']),
  };
}

function toUser({ folder, fields }: NamedEntry): User {
  const exec = fields['exec'];
  return {
    certData: optionalString(fields['client-certificate-data']),
    certFile: optionalPath(fields['client-certificate'], folder),
    keyData: optionalString(fields['client-key-data']),
    keyFile: optionalPath(fields['client-key'], folder),
    token: optionalString(fields['token']),
    tokenFile: optionalPath(fields['tokenFile'], folder),
    username: optionalString(fields['username']),
    password: optionalString(fields['password']),
    ...(exec !== undefined && exec !== null && { exec: toExecPlugin(fieldsOf(exec), folder) }),
    ...(fields['auth-provider'] ? { authProvider: fields['auth-provider'] } : {}),
    impersonateUser: optionalString(fields['as']),
    impersonateUid: optionalString(fields['as-uid']),
    impersonateGroups: fields['as-groups'] as string[] | undefined,
    impersonateUserExtra: fields['as-user-extra'] as Record<string, string[]> | undefined,
  };
}

/** A command with a slash is relative to its kubeconfig, as in kubectl. */
function toExecPlugin(exec: Fields, folder: string): Fields {
  const { command } = exec;
  return typeof command === 'string' && command.includes('/')
    ? { ...exec, command: resolve(folder, command) }
    : exec;
}

function optionalPath(value: unknown, folder: string): string | undefined {
  const path = optionalString(value);
  return path === undefined ? undefined : resolve(folder, path);
}

function optionalString(value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
