import type { ConnectionSettings, HeaderFields, TlsSettings } from '../wire/connection-settings.js';
import type { ExecPlugin } from './exec/exec-plugin.js';

/**
 * Where an API server is, and how to prove who asks: what connection settings are made from, again for each stream. Files are
 * read again when they have changed.
 */
export interface ConnectionSource {
  /** `https://host:port` or `http://…`, with a path prefix if there is one. */
  readonly server: ConnectionSettings['server'];
  /**
   * `gzip` asks for compressed bodies: for slow or costly networks. Inside a cluster it takes the API server and the worker
   * longer than it saves.
   * @default 'identity'
   */
  readonly compression?: NonNullable<ConnectionSettings['compression']>;
  readonly tls?: TlsSource;
  /** `http://`, `https://` or `socks5://`, with user and password if the proxy wants them; empty for none. @default HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as for kubectl */
  readonly proxyUrl?: string;
  /**
   * Sent with every request. A function is asked before each stream, and once more after a 401; streams that open at the same time
   * share one call. What it throws is not repeated in any error, only its name and code.
   */
  readonly headers?: HeaderFields | ((request: IdentityRequest) => HeaderFields | Promise<HeaderFields>);
  /** Holds a bearer token. */
  readonly tokenFile?: string;
  /** A program that gives a token or a certificate. Not together with `tokenFile`. */
  readonly exec?: ExecPlugin;
}

export interface TlsSource extends TlsSettings {
  /** PEM, as the three without `File` are; these win. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

export interface IdentityRequest {
  /** The server has answered 401 to what was given last: something kept from before is of no use. */
  readonly isRefused: boolean;
}

/** What a user proves who they are with. */
export interface Identity {
  readonly headers?: HeaderFields;
  /** PEM, both or none. In place of those of the source. */
  readonly cert?: string;
  readonly key?: string;
}

/** A source whose identity is not in plain data or files, but has to be asked for. */
export interface IdentitySource extends ConnectionSource {
  readonly identity?: (request: IdentityRequest) => Promise<Identity>;
}
