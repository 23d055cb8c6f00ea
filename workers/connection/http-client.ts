import type * as http from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, MAX_TIMER_MS, systemClock } from '../../src/util/clock.js';
import type { StreamTask } from '../../src/wire/stream-task.js';
import { UnknownFields } from '../decode/protobuf/unknown-fields.js';
import { errnoOf, protocolFailure, StreamFailure, transportFailure } from '../stream-failure.js';
import { AgentPool, KEEP_ALIVE_MS } from './agent-pool.js';
import { BodyReader } from './body-reader.js';
import { BodyTap } from './body-tap.js';
import { acceptHeader, encodingOf, NOT_ACCEPTABLE } from './content-negotiation.js';
import { errorResponseText, wireErrorOf } from './error-response.js';
import { ReadAhead } from './read-ahead.js';
import { redact } from './redact.js';
import { makeRequest } from './request.js';
import { ServerProber } from './server-prober.js';
import { Watchdog } from './watchdog.js';

/** Read of a response other than 200. A Status is a few hundred bytes. */
const MAX_ERROR_BYTES = 64 * 1024;

/** What a request on an idle socket fails with, if the API server or a proxy has closed the socket meanwhile. */
const STALE_ERRNOS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

type Request = Pick<StreamTask, 'verb' | 'path' | 'limits' | 'connection' | 'decoding' | 'encodings'>;

export interface HttpClientOptions {
  /** Supplies the sockets. */
  readonly agents?: Pick<AgentPool, 'agentOf' | 'close'>;
  readonly clock?: Clock;
}

/**
 * The HTTP client of one thread. Never follows redirects. Failures are `StreamFailure`s without credentials or object
 * data.
 */
export class HttpClient {
  readonly #agents: Pick<AgentPool, 'agentOf' | 'close'>;
  readonly #clock: Clock;
  readonly #prober: ServerProber;
  readonly #readAhead = new ReadAhead();

  constructor(options: HttpClientOptions = {}) {
    this.#agents = options.agents ?? new AgentPool(this.#readAhead);
    this.#clock = options.clock ?? systemClock;
    this.#prober = new ServerProber(this.#clock);
  }

  /**
   * Resolves with the body when the server has answered 200. Aborting destroys the socket at once, before or after
   * that; the body then fails or ends early, and is to be ignored. `unknownFields` gets those of an error response.
   */
  async open(
    task: Request,
    signal: AbortSignal,
    unknownFields: UnknownFields = new UnknownFields(),
  ): Promise<BodyReader> {
    const shared = {
      unknownFields,
      agent: this.#agents.agentOf(task.connection),
      clock: this.#clock,
      prober: this.#prober,
      readAhead: this.#readAhead,
    };
    let request: Request = task;
    for (;;) {
      const outcome = await new Exchange(request, signal, shared).outcome;
      if (typeof outcome === 'object') return outcome;
      if (outcome === 'not-acceptable') request = { ...task, encodings: ['json'] };
      // 'stale': the server closed an idle socket while the request was being sent, so it has not seen the request.
    }
  }

  /** Ends the idle sockets. Streams that are open stay so. */
  close(): void {
    this.#agents.close();
  }
}

const ADMISSION_HEADERS = ['x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid'];

type Outcome = BodyReader | 'stale' | 'not-acceptable';

/** Shared by the exchanges of one `open`. */
interface Shared {
  readonly agent: http.Agent;
  readonly clock: Clock;
  readonly prober: ServerProber;
  readonly readAhead: ReadAhead;
  readonly unknownFields: UnknownFields;
}

/** One request and its response. */
class Exchange {
  readonly outcome: Promise<Outcome>;
  readonly #task: Request;
  readonly #signal: AbortSignal;
  readonly #shared: Shared;
  #request: http.ClientRequest | undefined;
  #body: BodyReader | undefined;
  #tap: BodyTap | undefined;
  #reject: (failure: StreamFailure) => void = () => {};
  #connectTimer: { cancel(): void } | undefined;
  #deadline: { cancel(): void } | undefined;
  #watchdog: Watchdog | undefined;
  #isFinished = false;

  constructor(task: Request, signal: AbortSignal, shared: Shared) {
    this.#task = task;
    this.#signal = signal;
    this.#shared = shared;
    this.outcome = new Promise((resolve, reject) => {
      this.#reject = reject;
      if (signal.aborted) this.#fail(aborted());
      else this.#send(resolve);
    });
  }

  #send(resolve: (outcome: Outcome) => void): void {
    const { connection, decoding, encodings = ['json'], limits, path, verb } = this.#task;
    const { agent, clock } = this.#shared;
    const connectMs = Math.min(limits.connectMs, MAX_TIMER_MS);
    const socketOptions = { timeoutMs: connectMs, signal: this.#signal };
    const accept = acceptHeader(decoding.form, verb, encodings);
    this.#signal.addEventListener('abort', this.#onAbort, { once: true });
    let request: http.ClientRequest;
    try {
      request = makeRequest({ connection, path, accept, socketOptions }, agent);
    } catch (error) {
      // An address or a header that HTTP cannot carry. Node's message may quote it, so it is not passed on.
      this.#fail(protocolFailure(`the request cannot be sent: ${errnoOf(error)}`));
      return;
    }
    this.#request = request;
    const onConnectTimeout = (): void =>
      this.#fail(transportFailure('ETIMEDOUT', `no connection within ${limits.connectMs} ms`));
    this.#connectTimer = clock.schedule(onConnectTimeout, connectMs);
    if (verb === 'list') this.#armListDeadline(limits.listMs);
    request.on('socket', (socket) => this.#onSocket(socket));
    request.on('response', (response) => {
      this.#onResponse(response, resolve);
      this.#tap?.endHead();
    });
    // Never removed: a destroyed request may still emit errors.
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && STALE_ERRNOS.has(error.code ?? '') && this.#body === undefined;
      if (isStale && !this.#isFinished) {
        this.#finish();
        resolve('stale');
      } else if (error instanceof StreamFailure) this.#fail(error);
      else this.#fail(transportFailure(errnoOf(error), messageOf(error)));
    });
    request.end();
  }

  #onSocket(socket: Socket): void {
    if (this.#isFinished) return;
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    const onConnected = (): void => this.#connectTimer?.cancel();
    const isTunnel = !('encrypted' in socket) && !socket.connecting;
    if (this.#request?.reusedSocket || isTunnel) onConnected();
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', onConnected);
    if (this.#task.verb !== 'watch') return;
    this.#tap = BodyTap.of(socket);
    this.#guard(socket);
  }

  #onResponse(response: http.IncomingMessage, resolve: (outcome: Outcome) => void): void {
    // A body that is not read may fail without consequence.
    response.on('error', () => {});
    if (this.#isFinished) return;
    const code = response.statusCode ?? 0;
    const { 'content-encoding': contentEncoding = 'identity', 'content-type': type } = response.headers;
    if (contentEncoding !== 'identity' && contentEncoding !== 'gzip') {
      this.#fail(protocolFailure('the response has a content encoding other than gzip'));
      return;
    }
    const { encodings = ['json'] } = this.#task;
    const encoding = encodingOf(type, encodings);
    const body = new BodyReader(response, {
      contentEncoding,
      encoding: encoding ?? 'json',
      admittedBy: admittedBy(response.headers),
      gzipRatio: this.#task.limits.gzipRatio,
      readAhead: this.#shared.readAhead,
      // Whether the body of an error response is complete does not matter: its status code is enough.
      onDone: (failure) => (failure === undefined || code !== 200 ? this.#finish() : this.#fail(failure)),
    });
    if (code === NOT_ACCEPTABLE && encodings.length > 1) {
      this.#finish();
      response.resume();
      resolve('not-acceptable');
    } else if (code !== 200) void this.#failWithStatus(body, response);
    else if (encoding === undefined) {
      const wanted = encodings.includes('json') ? 'JSON' : 'protobuf';
      this.#fail(
        protocolFailure(`the response is not ${wanted}; a proxy may have sent it instead of the API server`),
      );
    } else {
      this.#body = body;
      const isChunked = response.headers['transfer-encoding'] === 'chunked';
      if (isChunked && contentEncoding === 'identity') this.#tap?.takeOver((bytes) => body.receive(bytes));
      resolve(body);
    }
  }

  async #failWithStatus(reader: BodyReader, response: http.IncomingMessage): Promise<void> {
    const { statusCode: code = 0, headers } = response;
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    try {
      for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
        pieces.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_ERROR_BYTES) break;
      }
      if (bytes > MAX_ERROR_BYTES) this.#request?.destroy();
    } catch {
      this.#request?.destroy();
    }
    this.#finish();
    try {
      const bytes = Buffer.concat(pieces).subarray(0, MAX_ERROR_BYTES);
      const body = redact(
        errorResponseText(bytes, this.#shared.unknownFields),
        this.#task.connection.headers,
      );
      this.#reject(new StreamFailure(wireErrorOf({ code, retryAfter: headers['retry-after'], body })));
    } catch (error) {
      this.#reject(error as StreamFailure);
    }
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
    if (this.#isFinished) return;
    this.#finish();
    this.#request?.destroy();
    this.#body?.fail(failure);
    this.#reject(failure);
  }

  /** Cancels all timers and listeners. */
  #finish(): void {
    this.#isFinished = true;
    this.#connectTimer?.cancel();
    this.#deadline?.cancel();
    this.#watchdog?.stop();
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}

function aborted(): StreamFailure {
  return transportFailure('aborted', 'the stream was stopped');
}

/** Empty strings from a server that has just started and uses its built-in flow schemas. */
function admittedBy(headers: http.IncomingHttpHeaders): string[] {
  return ADMISSION_HEADERS.map((name) => headers[name]).filter((uid) => typeof uid === 'string');
}

/** Contains names of hosts and certificates, never what was sent. */
function messageOf(error: Error): string {
  return error.message === '' ? error.name : error.message;
}
