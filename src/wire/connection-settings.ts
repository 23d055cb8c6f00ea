/** How to reach an API server, as plain data that travels to a worker. Never part of a message back, of an error or of a log. */
export interface ConnectionSettings {
  /** `https://host:port` or `http://…`, with a path prefix if there is one. */
  readonly server: string;
  /** Sent with every request: Authorization, impersonation. */
  readonly headers: Readonly<Record<string, string>>;
  /** `identity` asks for plain bodies: on a fast network, gzip takes longer than it saves (kubeconfig: disable-compression). @default 'gzip' */
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
