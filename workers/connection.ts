import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { type Clock, systemClock } from '../src/clock.js';
import type { HeaderFields } from '../src/wire/connection-settings.js';
import type { Encoding, StreamTask } from '../src/wire/stream-task.js';
import { AgentPool, KEEP_ALIVE_MS, type SocketOrder } from './http/agent-pool.js';
import { BodyReader } from './http/body-reader.js';
import { redact } from './http/redact.js';
import { refusalError, refusalText } from './http/refusal.js';
import { errnoOf, protocolFailure, StreamFailure, transportFailure } from './stream-failure.js';
import { VERSION } from './version.js';

/** Of an answer other than 200. A Status is a few hundred bytes. */
const REFUSAL_BYTES = 64 * 1024;

/** A silent watch is looked at so many times before it counts as dead. Looks are counted, not time: a process that was suspended has not been listening. */
const STALL_LOOKS = 8;

const MAX_TIMER_MS = 2 ** 31 - 1;

/** What an API server, or a proxy before it, may close without telling while the socket lay idle. */
const STALE_ERRNOS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

type Request = Pick<StreamTask, 'verb' | 'path' | 'limits' | 'connection' | 'decoding' | 'encodings'>;

const NOT_ACCEPTABLE = 406;

const MEDIA_TYPES: Readonly<Record<Encoding, string>> = {
  protobuf: 'application/vnd.kubernetes.protobuf',
  json: 'application/json',
};

export interface ConnectionsOptions {
  /** Where sockets come from. */
  readonly agents?: Pick<AgentPool, 'agentOf' | 'close'>;
  readonly clock?: Clock;
}

/**
 * The HTTP client of one thread. Redirects are never followed. Failures are `StreamFailure`s without credentials or object data.
 */
export class Connections {
  readonly #agents: Pick<AgentPool, 'agentOf' | 'close'>;
  readonly #clock: Clock;

  constructor(options: ConnectionsOptions = {}) {
    this.#agents = options.agents ?? new AgentPool();
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Resolves with the body when the server has answered 200. Aborting destroys the socket at once, before or after
   * that; the body then fails or just ends, which nobody should care about any more.
   */
  async open(task: Request, signal: AbortSignal): Promise<BodyReader> {
    const agent = this.#agents.agentOf(task.connection);
    let request: Request = task;
    for (;;) {
      const answer = await new Exchange(request, agent, signal, this.#clock).answer;
      if (typeof answer === 'object') return answer;
      // Custom resources have no protobuf, and servers say so instead of taking the second choice.
      if (answer === 'not-acceptable') request = { ...task, encodings: ['json'] };
      // Else a kept socket was closed by the server while the request was on its way; nothing was asked yet.
    }
  }

  /** Ends the idle sockets. Streams that are open stay so. */
  close(): void {
    this.#agents.close();
  }
}

type Answer = BodyReader | 'stale' | 'not-acceptable';

/** One request and its answer. */
class Exchange {
  readonly answer: Promise<Answer>;
  readonly #task: Request;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  #request: http.ClientRequest | undefined;
  #body: BodyReader | undefined;
  #reject: (failure: StreamFailure) => void = () => {};
  #connectTimer: { cancel(): void } | undefined;
  #deadline: { cancel(): void } | undefined;
  #isOver = false;

  constructor(task: Request, agent: http.Agent, signal: AbortSignal, clock: Clock) {
    this.#task = task;
    this.#signal = signal;
    this.#clock = clock;
    this.answer = new Promise((resolve, reject) => {
      this.#reject = reject;
      if (signal.aborted) this.#fail(aborted());
      else this.#send(agent, resolve);
    });
  }

  #send(agent: http.Agent, resolve: (answer: Answer) => void): void {
    const { limits, verb } = this.#task;
    this.#signal.addEventListener('abort', this.#onAbort, { once: true });
    let request: http.ClientRequest;
    try {
      request = requestOf(this.#task, agent, this.#signal);
    } catch (error) {
      // An address or a header that HTTP cannot carry. Node's message may quote it.
      this.#fail(protocolFailure(`the request cannot be sent: ${errnoOf(error)}`));
      return;
    }
    this.#request = request;
    const onConnectTimeout = (): void =>
      this.#fail(transportFailure('ETIMEDOUT', `no connection within ${limits.connectMs} ms`));
    this.#connectTimer = this.#clock.schedule(onConnectTimeout, Math.min(limits.connectMs, MAX_TIMER_MS));
    if (verb === 'list') this.#armListDeadline(limits.listMs);
    request.on('socket', (socket) => this.#onSocket(socket));
    request.on('response', (response) => this.#onResponse(response, resolve));
    // Stays until the end: a destroyed request may still have something to say.
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && STALE_ERRNOS.has(error.code ?? '') && this.#body === undefined;
      if (isStale && !this.#isOver) {
        this.#over();
        resolve('stale');
      } else if (error instanceof StreamFailure) this.#fail(error);
      else this.#fail(transportFailure(errnoOf(error), messageOf(error)));
    });
    request.end();
  }

  #onSocket(socket: Socket): void {
    if (this.#isOver) return;
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    const onConnected = (): void => this.#connectTimer?.cancel();
    const isTunnel = !('encrypted' in socket) && !socket.connecting;
    if (this.#request?.reusedSocket || isTunnel) onConnected();
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', onConnected);
    if (this.#task.verb === 'watch') this.#armWatchdog(socket, this.#task.limits.watchStallMs);
  }

  #onResponse(response: http.IncomingMessage, resolve: (answer: Answer) => void): void {
    // Whatever happens to a body that nobody reads is of no interest.
    response.on('error', () => {});
    if (this.#isOver) return;
    const code = response.statusCode ?? 0;
    const { 'content-encoding': encoding = 'identity', 'content-type': type } = response.headers;
    if (encoding !== 'identity' && encoding !== 'gzip') {
      this.#fail(protocolFailure('the answer has a content encoding other than gzip'));
      return;
    }
    const { encodings = ['json'] } = this.#task;
    const contents = contentsOf(type, encodings);
    const body = new BodyReader(response, {
      encoding,
      contents: contents ?? 'json',
      gzipRatio: this.#task.limits.gzipRatio,
      // What became of the body of a refusal does not matter: the code says enough.
      onDone: (failure) => (failure === undefined || code !== 200 ? this.#over() : this.#fail(failure)),
    });
    if (code === NOT_ACCEPTABLE && encodings.length > 1) {
      this.#over();
      response.resume();
      resolve('not-acceptable');
    } else if (code !== 200) void this.#refuse(body, response);
    else if (contents === undefined) {
      const wanted = encodings.includes('json') ? 'JSON' : 'protobuf';
      this.#fail(
        protocolFailure(`the answer is not ${wanted}; a proxy may have given it instead of the API server`),
      );
    } else {
      this.#body = body;
      resolve(body);
    }
  }

  async #refuse(reader: BodyReader, response: http.IncomingMessage): Promise<void> {
    const { statusCode: code = 0, headers } = response;
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    try {
      for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
        pieces.push(chunk);
        bytes += chunk.length;
        if (bytes > REFUSAL_BYTES) break;
      }
      if (bytes > REFUSAL_BYTES) this.#request?.destroy();
    } catch {
      this.#request?.destroy();
    }
    this.#over();
    const text = refusalText(Buffer.concat(pieces).subarray(0, REFUSAL_BYTES));
    const body = redact(text, this.#task.connection.headers);
    this.#reject(new StreamFailure(refusalError({ code, retryAfter: headers['retry-after'], body })));
  }

  #armListDeadline(listMs: number): void {
    const onDeadline = (): void =>
      this.#fail(transportFailure('ETIMEDOUT', `the list was not complete after ${listMs} ms`));
    this.#deadline = this.#clock.schedule(onDeadline, Math.min(listMs, MAX_TIMER_MS));
  }

  /** Any byte is a sign of life, headers and half events too. One timer per watch, none per chunk. */
  #armWatchdog(socket: Socket, stallMs: number): void {
    let bytesRead = socket.bytesRead;
    let silentLooks = 0;
    const lookAgain = (): void => {
      this.#deadline = this.#clock.schedule(look, Math.min(Math.ceil(stallMs / STALL_LOOKS), MAX_TIMER_MS));
    };
    const look = (): void => {
      silentLooks = socket.bytesRead === bytesRead ? silentLooks + 1 : 0;
      bytesRead = socket.bytesRead;
      if (silentLooks >= STALL_LOOKS) {
        this.#fail(transportFailure('ETIMEDOUT', `nothing arrived on the watch for ${stallMs} ms`));
      } else lookAgain();
    };
    lookAgain();
  }

  readonly #onAbort = (): void => this.#fail(aborted());

  /** Destroys the socket. Idempotent, and without effect after the end. */
  #fail(failure: StreamFailure): void {
    if (this.#isOver) return;
    this.#over();
    this.#request?.destroy();
    this.#body?.fail(failure);
    this.#reject(failure);
  }

  /** No timer and no listener outlives the exchange. */
  #over(): void {
    this.#isOver = true;
    this.#connectTimer?.cancel();
    this.#deadline?.cancel();
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}

function requestOf(
  { connection, decoding, encodings = ['json'], limits, path, verb }: Request,
  agent: http.Agent,
  signal: AbortSignal,
): http.ClientRequest {
  const order: SocketOrder = { timeoutMs: Math.min(limits.connectMs, MAX_TIMER_MS), signal };
  const server = new URL(connection.server);
  const prefix = server.pathname.replace(/\/$/, '');
  const isTls = server.protocol === 'https:';
  const headers: HeaderFields = {
    ...connection.headers,
    // Not curl, Wget or Mozilla: for these the server prints JSON prettily, at twice the size.
    'User-Agent': `kubeflect/${VERSION}`,
    Accept: acceptOf(decoding.form, verb, encodings),
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

/** Aggregated servers need not know the metadata form; the decoder takes full objects then. */
function acceptOf(
  form: 'object' | 'metadata',
  verb: 'list' | 'watch',
  encodings: readonly Encoding[],
): string {
  const types = encodings.map((encoding) => MEDIA_TYPES[encoding]);
  if (form === 'object') return types.join(',');
  const kind = verb === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  const partial = types.map((type) => `${type};as=${kind};g=meta.k8s.io;v=v1`);
  return [...partial, MEDIA_TYPES.json].join(',');
}

/** Undefined if it is nothing that was asked for. Without a type it is JSON. */
function contentsOf(type: string | undefined, encodings: readonly Encoding[]): Encoding | undefined {
  if (type?.startsWith(MEDIA_TYPES.protobuf)) return encodings.find((encoding) => encoding === 'protobuf');
  return type === undefined || type.includes('json') ? 'json' : undefined;
}

function aborted(): StreamFailure {
  return transportFailure('aborted', 'the stream was stopped');
}

/** Names of hosts and certificates, never what was sent. */
function messageOf(error: Error): string {
  return error.message === '' ? error.name : error.message;
}
