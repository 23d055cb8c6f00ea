/** Header name → value, or several values, each sent as a line of its own (`Impersonate-Group`). */
export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

/**
 * How to reach an API server, as plain data for a worker. Never part of a message to the main thread, of an error or
 * of a log.
 */
export interface ConnectionSettings {
  /** `https://host:port` or `http://…`, with a path prefix if there is one. */
  readonly server: string;
  /** Sent with every request: Authorization, impersonation. */
  readonly headers: HeaderFields;
  /**
   * `gzip` requests compressed bodies, for slow or expensive networks. Inside a cluster, compression costs the API
   * server and the worker more time than it saves. @default 'identity'
   */
  readonly compression?: 'gzip' | 'identity';
  readonly tls?: TlsSettings;
  /** The proxy to connect through: http, https or socks5, with user and password if it requires them. */
  readonly proxyUrl?: string;
  /**
   * Identifies the source of these settings. Idle connections are kept only for the newest settings of each origin,
   * so that replaced certificates are no longer used. @default none
   */
  readonly origin?: string;
}

export interface TlsSettings {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name to verify the certificate against, if it is not the host of `server`. */
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
}
