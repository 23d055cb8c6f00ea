import * as http from 'node:http';
import * as https from 'node:https';
import type { OnReadOpts, Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { ConnectionSettings } from '../../src/wire/connection-settings.js';
import { errnoOf, transportFailure } from '../stream-failure.js';
import { emitRead } from './body-tap.js';
import { openTunnel } from './proxy-tunnel.js';
import { ReadAhead } from './read-ahead.js';

/**
 * Silence after which the kernel sends TCP keep-alive probes. libuv then sends one every second, ten times: a dead peer
 * is detected after 25 s.
 */
export const KEEP_ALIVE_MS = 15_000;

/** Idle sockets kept for the next list. */
const IDLE_SOCKETS = 8;

/** Without threads, all engines of a process share one pool. */
const MAX_ORIGINS = 8;

interface PooledAgent {
  readonly id: string;
  readonly agent: http.Agent;
}

/**
 * Keeps sockets for reuse by requests with the same settings: server, proxy, authorities, certificate. When the
 * settings of an origin change, as when a certificate is rotated, the idle sockets of the old settings are closed at
 * once, and the others as soon as they are idle. Headers are not part of the settings: they are sent with each request.
 */
export class AgentPool {
  /** By origin, the most recently used last. */
  readonly #agents = new Map<string, PooledAgent>();

  readonly #onread: OnReadOpts;

  constructor(readAhead: ReadAhead = new ReadAhead()) {
    this.#onread = sharedReads(readAhead);
  }

  /** Throws a `StreamFailure` if certificates or key cannot be read. */
  agentOf(settings: ConnectionSettings): http.Agent {
    const id = JSON.stringify([settings.server, settings.tls, settings.proxyUrl]);
    const origin = settings.origin ?? id;
    const existing = this.#agents.get(origin);
    this.#agents.delete(origin);
    if (existing !== undefined && existing.id !== id) retire(existing.agent);
    const pooled = existing?.id === id ? existing : { id, agent: makeAgent(settings, this.#onread) };
    this.#agents.set(origin, pooled);
    const [oldest] = this.#agents;
    if (this.#agents.size > MAX_ORIGINS && oldest !== undefined) {
      this.#agents.delete(oldest[0]);
      retire(oldest[1].agent);
    }
    return pooled.agent;
  }

  /** Closes the idle sockets. Open streams are not affected. */
  close(): void {
    for (const { agent } of this.#agents.values()) retire(agent);
    this.#agents.clear();
  }
}

/** Passed by a request to the agent, for the case that it has to open a socket. */
export interface SocketOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface AgentOptions extends https.RequestOptions {
  readonly socketOptions: SocketOptions;
  readonly secureContext?: SecureContext;
}

/** What libuv reads at once. */
const MAX_READ_BYTES = 64 * 1024;
/** The first read of a socket, and those after a read that was smaller. */
const MIN_READ_BYTES = 16 * 1024;

/**
 * The sockets of a thread read into one buffer, because what was read is consumed before the next read: bodies are
 * decoded or copied out of it. Otherwise Node would allocate 64 KiB for each read, and leave them to the garbage
 * collector.
 */
function sharedReads(readAhead: ReadAhead): OnReadOpts {
  const large = Buffer.allocUnsafeSlow(MAX_READ_BYTES);
  const small = large.subarray(0, MIN_READ_BYTES);
  let next = small;
  return {
    // Called when a socket is opened, and after each `callback`.
    buffer: () => {
      const buffer = next;
      next = small;
      return buffer;
    },
    callback(this: Socket, bytes: number, buffer: Uint8Array): boolean {
      emitRead(this, buffer.subarray(0, bytes) as Buffer);
      next = bytes === buffer.length && !readAhead.isExhausted ? large : small;
      return true;
    },
  };
}

function makeAgent(settings: ConnectionSettings, onread: OnReadOpts): http.Agent {
  const { server, tls = {}, proxyUrl } = settings;
  const common = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, maxFreeSockets: IDLE_SOCKETS, onread };
  const agent = server.startsWith('https:')
    ? new https.Agent({
        ...common,
        secureContext: secureContextOf(settings),
        ...(tls.serverName !== undefined && { servername: tls.serverName }),
        // Always set: otherwise Node would obey NODE_TLS_REJECT_UNAUTHORIZED.
        rejectUnauthorized: tls.insecureSkipVerify !== true,
      })
    : new http.Agent(common);
  return proxyUrl === undefined ? agent : throughProxy(agent, proxyUrl, settings);
}

/** Created once per agent: parsing a bundle of CAs takes longer than a handshake. */
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

/**
 * Makes an agent open its sockets through the proxy. Plain HTTP uses CONNECT too, so the proxy sees none of our
 * headers.
 */
function throughProxy<A extends http.Agent>(agent: A, proxyUrl: string, { tls = {} }: ConnectionSettings): A {
  agent.createConnection = (options: AgentOptions, onSocket = () => {}) => {
    const { host, port, socketOptions } = options;
    openTunnel({ ...socketOptions, proxyUrl, ca: tls.ca, host: host ?? '', port: Number(port) }).then(
      (socket) => onSocket(null, agent instanceof https.Agent ? secured(socket, options) : socket),
      (failure: Error) => onSocket(failure, undefined as never),
    );
    return undefined;
  };
  return agent;
}

function secured(socket: Socket, options: AgentOptions): TLSSocket {
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

/** Sockets in use are closed when they become idle. */
function retire(agent: http.Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}
