import * as http from 'node:http';
import * as https from 'node:https';
import { VERSION } from '../../src/util/version.js';
import type { ConnectionSettings, HeaderFields } from '../../src/wire/connection-settings.js';
import type { SocketOptions } from './agent-pool.js';

export { VERSION };

export interface RequestSpec {
  readonly connection: ConnectionSettings;
  /** Path and query, below the prefix of the server's address. */
  readonly path: string;
  readonly accept: string;
  readonly socketOptions: SocketOptions;
  /** @default 'GET' */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** What will be written to the request. @default nothing */
  readonly body?: 'json';
}

/** A request that is not sent yet. Throws for an address or a header that HTTP cannot carry; the error may quote it. */
export function makeRequest(
  { accept, body, connection, method = 'GET', path, socketOptions }: RequestSpec,
  agent: http.Agent,
): http.ClientRequest {
  const server = new URL(connection.server);
  const prefix = server.pathname.replace(/\/$/, '');
  const isTls = server.protocol === 'https:';
  const headers: HeaderFields = {
    ...connection.headers,
    // Not curl, Wget or Mozilla: for these the server pretty-prints JSON, at twice the size.
    'User-Agent': `kubeflect/${VERSION}`,
    Accept: accept,
    'Accept-Encoding': connection.compression ?? 'identity',
    ...(body && { 'Content-Type': 'application/json' }),
  };
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value].flat()) http.validateHeaderValue(name, one);
  }
  const options: http.RequestOptions & { socketOptions: SocketOptions } = {
    agent,
    socketOptions,
    // URLs put IPv6 addresses in brackets; sockets expect them without.
    host: server.hostname.replace(/^\[|\]$/g, ''),
    port: server.port === '' ? (isTls ? 443 : 80) : server.port,
    path: prefix + path,
    method,
  };
  const request = (isTls ? https : http).request(options);
  // Not in the options: Node prints those if NODE_DEBUG is set.
  for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
  return request;
}
