import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { ConnectionSettings } from '../../src/wire/connection-settings.js';
import { errnoOf, transportFailure } from '../stream-failure.js';
import { openTunnel } from './tunnel.js';

/**
 * Silence after which the kernel asks whether the peer is there. libuv then asks every second, ten times: a dead
 * peer is noticed after 25 s.
 */
export const KEEP_ALIVE_MS = 15_000;

/** Idle sockets kept for the next list. */
const IDLE_SOCKETS = 8;

/** Without threads, all engines of a process share one pool. */
const MAX_ORIGINS = 8;

interface Kept {
  readonly id: string;
  readonly agent: http.Agent;
}

/**
 * Keeps sockets, to be used again by requests of the same settings: server, proxy, authorities, certificate. When those of an origin
 * change, as when a certificate is rotated, the idle sockets of the old ones are closed, and the others as soon as they are idle.
 * Headers are no part of it: they are sent with each request.
 */
export class AgentPool {
  /** By origin, the one used last at the end. */
  readonly #kept = new Map<string, Kept>();

  /** Throws a `StreamFailure` if certificates or key cannot be read. */
  agentOf(settings: ConnectionSettings): http.Agent {
    const id = JSON.stringify([settings.server, settings.tls, settings.proxyUrl]);
    const origin = settings.origin ?? id;
    const known = this.#kept.get(origin);
    this.#kept.delete(origin);
    if (known !== undefined && known.id !== id) retire(known.agent);
    const kept = known?.id === id ? known : { id, agent: makeAgent(settings) };
    this.#kept.set(origin, kept);
    const [oldest] = this.#kept;
    if (this.#kept.size > MAX_ORIGINS && oldest !== undefined) {
      this.#kept.delete(oldest[0]);
      retire(oldest[1].agent);
    }
    return kept.agent;
  }

  /** Ends the idle sockets. Streams that are open stay so. */
  close(): void {
    for (const { agent } of this.#kept.values()) retire(agent);
    this.#kept.clear();
  }
}

/** What a request tells the agent, should it have to open a socket. */
export interface SocketOrder {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface SocketOptions extends https.RequestOptions {
  readonly order: SocketOrder;
  readonly secureContext?: SecureContext;
}

function makeAgent(settings: ConnectionSettings): http.Agent {
  const { server, tls = {}, proxyUrl } = settings;
  const kept = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, maxFreeSockets: IDLE_SOCKETS };
  const agent = server.startsWith('https:')
    ? new https.Agent({
        ...kept,
        secureContext: secureContextOf(settings),
        ...(tls.serverName !== undefined && { servername: tls.serverName }),
        // Always given: Node would otherwise listen to NODE_TLS_REJECT_UNAUTHORIZED.
        rejectUnauthorized: tls.insecureSkipVerify !== true,
      })
    : new http.Agent(kept);
  return proxyUrl === undefined ? agent : throughProxy(agent, proxyUrl, settings);
}

/** Made once: reading a bundle of CAs takes longer than a handshake. */
function secureContextOf({ tls: { ca, cert, key } = {} }: ConnectionSettings): SecureContext {
  try {
    return createSecureContext({
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      minVersion: 'TLSv1.2',
    });
  } catch (error) {
    throw transportFailure(errnoOf(error), 'the certificates or the key of the connection cannot be read');
  }
}

/** Lets an agent open its sockets through the proxy. Plain HTTP goes by CONNECT as well: the proxy sees no header of ours. */
function throughProxy<A extends http.Agent>(agent: A, proxyUrl: string, { tls = {} }: ConnectionSettings): A {
  agent.createConnection = (options: SocketOptions, onSocket = () => {}) => {
    const { host, port, order } = options;
    openTunnel({ ...order, proxyUrl, ca: tls.ca, host: host ?? '', port: Number(port) }).then(
      (socket) => onSocket(null, agent instanceof https.Agent ? secured(socket, options) : socket),
      (failure: Error) => onSocket(failure, undefined as never),
    );
    return undefined;
  };
  return agent;
}

function secured(socket: Socket, options: SocketOptions): TLSSocket {
  const { host, servername, rejectUnauthorized, secureContext } = options;
  return connectTls({
    socket,
    ...(host && { host }),
    ...(servername && { servername }),
    ...(secureContext && { secureContext }),
    rejectUnauthorized: rejectUnauthorized !== false,
    ALPNProtocols: ['http/1.1'],
  });
}

/** What is in use is closed when it becomes idle. */
function retire(agent: http.Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}
