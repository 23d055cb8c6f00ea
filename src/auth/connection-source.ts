import { invalidOption } from '../util/check-options.js';
import type { ConnectionSettings, HeaderFields, TlsSettings } from '../wire/connection-settings.js';
import { checkExecPlugin, type ExecPlugin, type ExecPolicy } from './exec/exec-plugin.js';
import { isProxyUrl, PROXY_SCHEMES } from './proxy.js';

/**
 * Address and credentials of an API server, read again for each stream. Files are read again when they have changed.
 */
export interface ConnectionSource {
  /** `https://host:port` or `http://…`, with a path prefix if there is one. */
  readonly server: ConnectionSettings['server'];
  /**
   * `gzip` requests compressed bodies: for slow or costly networks. Inside a cluster it costs the API server and the
   * worker more time than it saves.
   * @default 'identity'
   */
  readonly compression?: NonNullable<ConnectionSettings['compression']>;
  readonly tls?: TlsSource;
  /**
   * `http://`, `https://` or `socks5://`, with user and password if the proxy requires them; empty for none.
   * @default HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as for kubectl
   */
  readonly proxyUrl?: string;
  /**
   * Sent with every request. A function is called before each stream, and once more after a 401; streams that open at
   * the same time share one call. Errors report only the name and code of what it throws, never the message.
   */
  readonly headers?: HeaderFields | ((request: IdentityRequest) => HeaderFields | Promise<HeaderFields>);
  /** Path of a file with a bearer token. */
  readonly tokenFile?: string;
  /** A program that returns a token or a certificate. Not together with `tokenFile`. */
  readonly exec?: ExecPlugin;
}

export interface TlsSource extends TlsSettings {
  /** Paths of PEM files. `ca`, `cert` and `key`, which are PEM themselves, take precedence. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

export interface IdentityRequest {
  /** The server responded 401 to the last credentials: do not return cached ones. */
  readonly isUnauthorized: boolean;
}

/** Credentials of a user. */
export interface Identity {
  readonly headers?: HeaderFields;
  /** PEM, both or none. They replace those of the source. */
  readonly cert?: string;
  readonly key?: string;
}

/** A source whose credentials are returned by a function. */
export interface IdentitySource extends ConnectionSource {
  readonly identity?: (request: IdentityRequest) => Promise<Identity>;
}

const SOURCE_NAMES: Readonly<Record<keyof IdentitySource, true>> = {
  server: true,
  tls: true,
  headers: true,
  tokenFile: true,
  exec: true,
  proxyUrl: true,
  compression: true,
  identity: true,
};

const TLS_NAMES: Readonly<Record<keyof TlsSource, true>> = {
  ca: true,
  caFile: true,
  cert: true,
  certFile: true,
  key: true,
  keyFile: true,
  serverName: true,
  insecureSkipVerify: true,
};

/** Throws `KUBEFLECT_OPTION_INVALID` for a source that can never work, without quoting values; otherwise returns it. */
export function checkSource<S extends ConnectionSource>(source: S, policy: ExecPolicy): S {
  const { server, tls = {}, proxyUrl, headers, tokenFile, exec } = source;
  checkNames('connection', source, SOURCE_NAMES);
  checkNames('tls', tls, TLS_NAMES);
  if (!isServer(server)) {
    throw invalid('the server of the connection must be an http or https URL, without user and password');
  }
  if (
    tls.insecureSkipVerify === true &&
    server.startsWith('https:') &&
    (tls.ca ?? tls.caFile) !== undefined
  ) {
    throw invalid('tls must not have both a certificate authority and insecureSkipVerify');
  }
  if (
    headers !== undefined &&
    typeof headers !== 'function' &&
    (typeof headers !== 'object' || headers === null)
  ) {
    throw invalid('headers must be an object of names and values, or a function that returns one');
  }
  if (proxyUrl !== undefined && proxyUrl !== '' && !isProxyUrl(proxyUrl)) {
    throw invalid(`the proxy must be a URL with one of the schemes ${PROXY_SCHEMES.join(', ')}`);
  }
  if (exec !== undefined) {
    if (tokenFile !== undefined) throw invalid('only one of tokenFile and exec can be set');
    checkExecPlugin(exec, policy);
  }
  return source;
}

/** A credential under a misspelled name would silently not be sent. */
function checkNames(owner: string, options: object, names: Readonly<Record<string, true>>): void {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(names, name)) {
      throw invalid(`unknown option ${name} of ${owner}; expected one of ${Object.keys(names).join(', ')}`);
    }
  }
}

function invalid(message: string): Error {
  return invalidOption('Engine', message);
}

function isServer(server: unknown): boolean {
  try {
    const { protocol, username, password } = new URL(server as string);
    return /^https?:$/.test(protocol) && username === '' && password === '';
  } catch {
    return false;
  }
}
