import { invalidOption } from '../../util/check-options.js';
import type { HeaderFields } from '../../wire/connection-settings.js';
import type { Identity, IdentityRequest, IdentitySource, TlsSource } from '../connection-source.js';
import { credentialsFailure } from '../credentials-failure.js';
import type { ExecPlugin } from '../exec/exec-plugin.js';
import type { AuthProvider, HttpsOptionsApplier } from './auth-provider.js';

/**
 * The part of `@kubernetes/client-node`'s KubeConfig (1.4 or 2.x) that is used; structural, so that the package is
 * optional.
 */
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
  /** Not in client-node, which reads the file only once. */
  readonly tokenFile?: Optional<string>;
  readonly username?: Optional<string>;
  readonly password?: Optional<string>;
  readonly exec?: unknown;
  readonly authProvider?: unknown;
  readonly impersonateUser?: Optional<string>;
  /** Not in client-node, which supports only the user. */
  readonly impersonateUid?: Optional<string>;
  readonly impersonateGroups?: Optional<readonly string[]>;
  readonly impersonateUserExtra?: Optional<Readonly<Record<string, readonly string[]>>>;
}

/** The current context of a KubeConfig, read each time: a token that the program sets in it is used from then on. */
export class KubeConfigSource {
  readonly #kubeConfig: KubeConfigLike;
  readonly #provider: AuthProvider;
  #server: string | undefined;

  constructor(kubeConfig: KubeConfigLike, provider: AuthProvider) {
    this.#kubeConfig = kubeConfig;
    this.#provider = provider;
  }

  /**
   * Throws `KUBEFLECT_OPTION_INVALID` if there is no cluster, and `KUBEFLECT_CREDENTIALS_FAILED` if its server has
   * changed.
   */
  read(): IdentitySource {
    const cluster = this.#kubeConfig.getCurrentCluster();
    if (cluster === null) throw invalidOption('Engine', 'kubeConfig has no current context with a cluster');
    this.#server ??= cluster.server;
    if (cluster.server !== this.#server) {
      // Resource versions and objects of two servers must not be mixed.
      throw credentialsFailure(
        'the current context of the kubeConfig now has another server; make an engine for each server',
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

  /** The first of the user's credentials in client-node's order. */
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

  /** A certificate in the kubeConfig itself takes precedence, and is read again when its file changes. */
  async #providedIdentity(user: UserLike, request: IdentityRequest): Promise<Identity> {
    const { headers = {}, ...pair } = await this.#provider.identity(user, request);
    return user.certData || user.certFile ? { headers } : { headers, ...pair };
  }
}

function tlsOf(cluster: ClusterLike, user: UserLike): TlsSource {
  return {
    ...pem('ca', cluster.caData, cluster.caFile),
    ...pem('cert', user.certData, user.certFile),
    ...pem('key', user.keyData, user.keyFile),
    ...(cluster.tlsServerName && { serverName: cluster.tlsServerName }),
    ...(cluster.skipTLSVerify === true && { insecureSkipVerify: true }),
  };
}

/** Data takes precedence over a file, as in kubectl. */
function pem(name: 'ca' | 'cert' | 'key', data: Optional<string>, file: Optional<string>): TlsSource {
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

/** `as`, `as-uid`, `as-groups` and `as-user-extra` of a kubeconfig, as headers. */
function impersonationHeaders(user: UserLike): HeaderFields {
  const { impersonateUser, impersonateUid, impersonateGroups, impersonateUserExtra } = user;
  const extra = Object.entries(impersonateUserExtra ?? {}).map(
    ([key, values]) => [`impersonate-extra-${escapeKey(key)}`, values] as const,
  );
  return {
    ...(impersonateUser && { 'impersonate-user': impersonateUser }),
    ...(impersonateUid && { 'impersonate-uid': impersonateUid }),
    ...(impersonateGroups?.length && { 'impersonate-group': impersonateGroups }),
    ...Object.fromEntries(extra),
  };
}

/** Percent-encodes what header names cannot have, as in `example.com/scopes`; encodeURIComponent leaves parentheses. */
function escapeKey(key: string): string {
  return encodeURIComponent(key.toLowerCase()).replace(
    /[()]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
}
