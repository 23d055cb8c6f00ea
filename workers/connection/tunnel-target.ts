/** Where a tunnel leads to. */
export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

/** Of the proxy, not of the API server. */
export interface ProxyLogin {
  readonly user: string;
  readonly password: string;
}
