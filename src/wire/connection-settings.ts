/** Header name → its value, or several, each of which becomes a line of its own: `Impersonate-Group`. */
export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

/** How to reach an API server, as plain data that travels to a worker. Never part of a message back, of an error or of a log. */
export interface ConnectionSettings {
  /** `https://host:port` or `http://…`, with a path prefix if there is one. */
  readonly server: string;
  /** Sent with every request: Authorization, impersonation. */
  readonly headers: HeaderFields;
  /**
   * `gzip` asks for compressed bodies: for slow or costly networks. Inside a cluster it takes the API server and the worker
   * longer than it saves. @default 'identity'
   */
  readonly compression?: 'gzip' | 'identity';
  readonly tls?: TlsSettings;
  /** Of a proxy to go through: http, https or socks5, with user and password if it wants them. */
  readonly proxyUrl?: string;
  /**
   * Whose settings these are. Connections are kept for the newest settings of each origin only, so that certificates that were
   * replaced are not used any more. @default nobody's in particular
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
