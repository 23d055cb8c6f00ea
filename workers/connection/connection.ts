import type * as http from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, systemClock } from '../../src/util/clock.js';
import type { Encoding, StreamTask } from '../../src/wire/stream-task.js';
import { errnoOf, protocolFailure, StreamFailure, transportFailure } from '../stream-failure.js';
import { AgentPool, KEEP_ALIVE_MS } from './agent-pool.js';
import { BodyReader } from './body-reader.js';
import { Probes } from './probes.js';
import { redact } from './redact.js';
import { refusalError, refusalText } from './refusal.js';
import { makeRequest } from './request.js';
import { MAX_TIMER_MS } from './timers.js';
import { Watchdog } from './watchdog.js';

/** Of an answer other than 200. A Status is a few hundred bytes. */
const REFUSAL_BYTES = 64 * 1024;

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
  readonly #probes: Probes;

  constructor(options: ConnectionsOptions = {}) {
    this.#agents = options.agents ?? new AgentPool();
    this.#clock = options.clock ?? systemClock;
    this.#probes = new Probes(this.#clock);
  }

  /**
   * Resolves with the body when the server has answered 200. Aborting destroys the socket at once, before or after
   * that; the body then fails or just ends, which nobody should care about any more.
   */
  async open(task: Request, signal: AbortSignal): Promise<BodyReader> {
    const shared = {
      agent: this.#agents.agentOf(task.connection),
      clock: this.#clock,
      probes: this.#probes,
    };
    let request: Request = task;
    for (;;) {
      const answer = await new Exchange(request, signal, shared).answer;
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

/** By all exchanges of the same settings. */
interface Shared {
  readonly agent: http.Agent;
  readonly clock: Clock;
  readonly probes: Probes;
}

/** One request and its answer. */
class Exchange {
  readonly answer: Promise<Answer>;
  readonly #task: Request;
  readonly #signal: AbortSignal;
  readonly #shared: Shared;
  #request: http.ClientRequest | undefined;
  #body: BodyReader | undefined;
  #reject: (failure: StreamFailure) => void = () => {};
  #connectTimer: { cancel(): void } | undefined;
  #deadline: { cancel(): void } | undefined;
  #watchdog: Watchdog | undefined;
  #isOver = false;

  constructor(task: Request, signal: AbortSignal, shared: Shared) {
    this.#task = task;
    this.#signal = signal;
    this.#shared = shared;
    this.answer = new Promise((resolve, reject) => {
      this.#reject = reject;
      if (signal.aborted) this.#fail(aborted());
      else this.#send(resolve);
    });
  }

  #send(resolve: (answer: Answer) => void): void {
    const { connection, decoding, encodings = ['json'], limits, path, verb } = this.#task;
    const { agent, clock } = this.#shared;
    const connectMs = Math.min(limits.connectMs, MAX_TIMER_MS);
    const order = { timeoutMs: connectMs, signal: this.#signal };
    const accept = acceptOf(decoding.form, verb, encodings);
    this.#signal.addEventListener('abort', this.#onAbort, { once: true });
    let request: http.ClientRequest;
    try {
      request = makeRequest({ connection, path, accept, order }, agent);
    } catch (error) {
      // An address or a header that HTTP cannot carry. Node's message may quote it.
      this.#fail(protocolFailure(`the request cannot be sent: ${errnoOf(error)}`));
      return;
    }
    this.#request = request;
    const onConnectTimeout = (): void =>
      this.#fail(transportFailure('ETIMEDOUT', `no connection within ${limits.connectMs} ms`));
    this.#connectTimer = clock.schedule(onConnectTimeout, connectMs);
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
    if (this.#task.verb === 'watch') this.#guard(socket);
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
    this.#deadline = this.#shared.clock.schedule(onDeadline, Math.min(listMs, MAX_TIMER_MS));
  }

  #guard(socket: Socket): void {
    const { connection, limits } = this.#task;
    const onDead = (message: string): void => this.#fail(transportFailure('ETIMEDOUT', message));
    this.#watchdog = new Watchdog({ ...this.#shared, socket, connection, limits, onDead });
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
    this.#watchdog?.stop();
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
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
