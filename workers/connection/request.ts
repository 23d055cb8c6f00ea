import * as http from 'node:http';
import * as https from 'node:https';
import type { ConnectionSettings, HeaderFields } from '../../src/wire/connection-settings.js';
import type { SocketOrder } from './agent-pool.js';
import { VERSION } from './version.js';

export interface RequestSpec {
  readonly connection: ConnectionSettings;
  /** Path and query, below the prefix of the server's address. */
  readonly path: string;
  readonly accept: string;
  readonly order: SocketOrder;
}

/** A GET that is not sent yet. Throws for an address or a header that HTTP cannot carry; what it throws may quote it. */
export function makeRequest(
  { accept, connection, order, path }: RequestSpec,
  agent: http.Agent,
): http.ClientRequest {
  const server = new URL(connection.server);
  const prefix = server.pathname.replace(/\/$/, '');
  const isTls = server.protocol === 'https:';
  const headers: HeaderFields = {
    ...connection.headers,
    // Not curl, Wget or Mozilla: for these the server prints JSON prettily, at twice the size.
    'User-Agent': `kubeflect/${VERSION}`,
    Accept: accept,
    'Accept-Encoding': connection.compression ?? 'identity',
  };
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value].flat()) http.validateHeaderValue(name, one);
  }
  const options: http.RequestOptions & { order: SocketOrder } = {
    agent,
    order,
    // In brackets a URL means an IPv6 address; a socket wants it bare.
    host: server.hostname.replace(/^\[|\]$/g, ''),
    port: server.port === '' ? (isTls ? 443 : 80) : server.port,
    path: prefix + path,
  };
  const request = (isTls ? https : http).request(options);
  // Not in the options, which Node prints if NODE_DEBUG is set.
  for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
  return request;
}
