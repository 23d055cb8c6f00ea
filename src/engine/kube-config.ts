import { readFileSync } from 'node:fs';
import { invalidOption } from '../options.js';
import type { ConnectionSettings } from '../wire/connection-settings.js';

/** What the engine reads of `@kubernetes/client-node`'s KubeConfig; structural, so that the package need not be there. */
export interface KubeConfigLike {
  getCurrentCluster(): ClusterLike | null;
  getCurrentUser(): UserLike | null;
}

interface ClusterLike {
  readonly server: string;
  /** Base64 of a PEM. */
  readonly caData?: string | undefined;
  readonly caFile?: string | undefined;
  readonly skipTLSVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
}

interface UserLike {
  readonly certData?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyData?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly exec?: unknown;
  readonly authProvider?: unknown;
}

/** The current context as plain data. Throws `KUBEFLECT_OPTION_INVALID` for what it cannot turn into that; never with a credential in the message. */
export function connectionOfKubeConfig(kubeConfig: KubeConfigLike): ConnectionSettings {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) throw invalidOption('Engine', 'kubeConfig has no current context with a cluster');
  const user: UserLike = kubeConfig.getCurrentUser() ?? {};
  if (user.exec !== undefined && user.exec !== null) throw unsupported('an exec plugin');
  if (user.authProvider !== undefined && user.authProvider !== null) throw unsupported('an auth provider');
  const tls = defined({
    ca: pem(cluster.caData, cluster.caFile),
    cert: pem(user.certData, user.certFile),
    key: pem(user.keyData, user.keyFile),
    serverName: cluster.tlsServerName || undefined,
    insecureSkipVerify: cluster.skipTLSVerify || undefined,
  });
  return { server: cluster.server, headers: authorization(user), tls };
}

function authorization({ token, username, password }: UserLike): Record<string, string> {
  if (token) return { authorization: `Bearer ${token}` };
  if (!username) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` };
}

function pem(data: string | undefined, file: string | undefined): string | undefined {
  if (data) return Buffer.from(data, 'base64').toString('utf8');
  return file ? readFileSync(file, 'utf8') : undefined;
}

function unsupported(what: string): Error {
  return invalidOption(
    'Engine',
    `the user of the kubeConfig has ${what}, which is not supported yet; give a token`,
  );
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
