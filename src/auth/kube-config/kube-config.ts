import { invalidOption } from '../../util/check-options.js';
import type { HeaderFields } from '../../wire/connection-settings.js';
import type { Identity, IdentityRequest, IdentitySource, TlsSource } from '../connection-source.js';
import { credentialsFailure } from '../credentials-failure.js';
import type { ExecPlugin } from '../exec/exec-plugin.js';
import type { AuthProvider, HttpsOptionsApplier } from './auth-provider.js';
import { impersonationHeaders } from './impersonation.js';

/** What is read of `@kubernetes/client-node`'s KubeConfig, 1.4 or 2.x; structural, so that the package need not be there. */
export interface KubeConfigLike extends Partial<HttpsOptionsApplier> {
  getCurrentCluster(): ClusterLike | null;
  getCurrentUser(): UserLike | null;
}

type Optional<T> = T | null | undefined;

export interface ClusterLike {
  readonly server: string;
  /** Base64 of a PEM. */
  readonly caData?: Optional<string>;
  readonly caFile?: Optional<string>;
  readonly skipTLSVerify?: Optional<boolean>;
  readonly tlsServerName?: Optional<string>;
  readonly proxyUrl?: Optional<string>;
}

export interface UserLike {
  readonly certData?: Optional<string>;
  readonly certFile?: Optional<string>;
  readonly keyData?: Optional<string>;
  readonly keyFile?: Optional<string>;
  readonly token?: Optional<string>;
  /** Not client-node's: it reads the file once, and forgets its name. */
  readonly tokenFile?: Optional<string>;
  readonly username?: Optional<string>;
  readonly password?: Optional<string>;
  readonly exec?: unknown;
  readonly authProvider?: unknown;
  readonly impersonateUser?: Optional<string>;
  /** Not client-node's, which knows the user only. */
  readonly impersonateUid?: Optional<string>;
  readonly impersonateGroups?: Optional<readonly string[]>;
  readonly impersonateUserExtra?: Optional<Readonly<Record<string, readonly string[]>>>;
}

/** The current context of a KubeConfig, read anew each time: tokens that somebody writes into it are used from then on. */
export class KubeConfigSource {
  readonly #kubeConfig: KubeConfigLike;
  readonly #provider: AuthProvider;
  #server: string | undefined;

  constructor(kubeConfig: KubeConfigLike, provider: AuthProvider) {
    this.#kubeConfig = kubeConfig;
    this.#provider = provider;
  }

  /** Throws `KUBEFLECT_OPTION_INVALID` if there is no cluster, and `KUBEFLECT_CREDENTIALS_FAILED` if it has become another one. */
  read(): IdentitySource {
    const cluster = this.#kubeConfig.getCurrentCluster();
    if (cluster === null) throw invalidOption('Engine', 'kubeConfig has no current context with a cluster');
    this.#server ??= cluster.server;
    if (cluster.server !== this.#server) {
      // Versions and objects of one server mean nothing to another.
      throw credentialsFailure(
        'the current context of the kubeConfig has come to be another server; make an engine for each',
      );
    }
    const user = this.#kubeConfig.getCurrentUser() ?? {};
    const login = this.#login(user);
    return {
      ...login,
      server: cluster.server,
      tls: tlsOf(cluster, user),
      ...(cluster.proxyUrl && { proxyUrl: cluster.proxyUrl }),
      headers: { ...login.headers, ...impersonationHeaders(user) },
    };
  }

  /** One way to log in; if the user has several, client-node's order. */
  #login(
    user: UserLike,
  ): Pick<IdentitySource, 'tokenFile' | 'exec' | 'identity'> & { headers?: HeaderFields } {
    if (user.token) return { headers: { authorization: `Bearer ${user.token}` } };
    const tokenFile = user.tokenFile || configOf(user.authProvider)['tokenFile'];
    if (typeof tokenFile === 'string' && tokenFile !== '') return { tokenFile };
    const exec = user.exec ?? configOf(user.authProvider)['exec'];
    if (isSet(exec)) return { exec: exec as ExecPlugin };
    if (isSet(user.authProvider) || this.#provider.isForUser(user)) {
      return { identity: (request) => this.#providedIdentity(user, request) };
    }
    if (!user.username) return {};
    const basic = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64');
    return { headers: { authorization: `Basic ${basic}` } };
  }

  /** A certificate that stands in the kubeConfig is read here, and again when its file changes. */
  async #providedIdentity(user: UserLike, request: IdentityRequest): Promise<Identity> {
    const { headers = {}, ...pair } = await this.#provider.identity(user, request);
    return user.certData || user.certFile ? { headers } : { headers, ...pair };
  }
}

function tlsOf(cluster: ClusterLike, user: UserLike): TlsSource {
  return {
    ...material('ca', cluster.caData, cluster.caFile),
    ...material('cert', user.certData, user.certFile),
    ...material('key', user.keyData, user.keyFile),
    ...(cluster.tlsServerName && { serverName: cluster.tlsServerName }),
    ...(cluster.skipTLSVerify === true && { insecureSkipVerify: true }),
  };
}

/** Data before file, as kubectl has it. */
function material(name: 'ca' | 'cert' | 'key', data: Optional<string>, file: Optional<string>): TlsSource {
  if (data) return { [name]: Buffer.from(data, 'base64').toString('utf8') };
  return file ? { [`${name}File`]: file } : {};
}

function configOf(authProvider: unknown): Readonly<Record<string, unknown>> {
  const { config } = Object(authProvider) as { readonly config?: unknown };
  return Object(config) as Record<string, unknown>;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
