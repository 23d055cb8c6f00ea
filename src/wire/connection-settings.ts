/** How to reach an API server, as plain data that travels to a worker. Never part of a message back, of an error or of a log. */
export interface ConnectionSettings {
  /** `https://host:port` or `http://…`, with a path prefix if there is one. */
  readonly server: string;
  /** Sent with every request: Authorization, impersonation. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * `gzip` asks for compressed bodies: for slow or costly networks. Inside a cluster it takes the API server and the worker
   * longer than it saves. @default 'identity'
   */
  readonly compression?: 'gzip' | 'identity';
  readonly tls?: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    /** The name to verify the certificate against, if it is not the host of `server`. */
    readonly serverName?: string;
    readonly insecureSkipVerify?: boolean;
  };
}
