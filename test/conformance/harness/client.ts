/** A plain HTTP client for the suite: returns what was on the wire, without interpretation or retries. */

import { Agent, type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { type AgentOptions, Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { KubeObject } from './objects.js';
import { WatchStream } from './watch-stream.js';

/** Where the server under test is and how to log in. */
export interface Connection {
  readonly url: URL;
  /** Sent with every request; empty when the kubeconfig has no token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: AgentOptions;
}

export type Query = Readonly<Record<string, string | number | boolean>>;

export interface RequestOptions {
  readonly query?: Query;
  /** Added to the defaults; `null` removes a default header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Strings and bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed body; throws when it is not JSON. */
  readonly json: KubeObject;
}

/** No case waits longer on the server than its 3 s for a future revision; the rest is a margin for a loaded machine. */
const ANSWER_TIMEOUT_MS = 15_000;

export const USER_AGENT = 'conformance/1.0';

export class ApiClient {
  readonly #connection: Connection;
  readonly #agent: Agent;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#agent =
      connection.url.protocol === 'https:'
        ? new TlsAgent({ ...connection.tls, keepAlive: true, ALPNProtocols: ['http/1.1'] })
        : new Agent({ keepAlive: true });
  }

  /** Sends one request and reads the whole answer. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<ApiResponse> {
    const { request, response } = await this.#send(method, path, options);
    const timer = setTimeout(
      () =>
        request.destroy(new Error(`${method} ${path}: the answer did not end in ${ANSWER_TIMEOUT_MS} ms`)),
      ANSWER_TIMEOUT_MS,
    );
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      return toApiResponse(response, Buffer.concat(chunks));
    } finally {
      clearTimeout(timer);
    }
  }

  get(path: string, query: Query = {}, headers: RequestOptions['headers'] = {}): Promise<ApiResponse> {
    return this.request('GET', path, { query, headers });
  }

  /** Sends a GET and hands over the body while it comes. The path and query decide whether it is a watch. */
  async stream(
    path: string,
    query: Query = {},
    headers: RequestOptions['headers'] = {},
  ): Promise<WatchStream> {
    const { request, response } = await this.#send('GET', path, { query, headers });
    return new WatchStream(response, toApiResponse(response, Buffer.alloc(0)), () => request.destroy());
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(
    method: string,
    path: string,
    options: RequestOptions,
  ): Promise<{ request: ClientRequest; response: IncomingMessage }> {
    const { url } = this.#connection;
    const payload = encodeBody(options.body);
    const headers: Record<string, string> = { 'User-Agent': USER_AGENT, Accept: 'application/json' };
    if (payload !== undefined) {
      headers['Content-Type'] = 'application/json';
      headers['Content-Length'] = String(payload.length);
    }
    Object.assign(headers, this.#connection.headers);
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      if (value === null) delete headers[name];
      else headers[name] = value;
    }
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
      const request = send({
        host: url.hostname,
        port: url.port,
        agent: this.#agent,
        method,
        path: path + encodeQuery(options.query ?? {}),
        headers,
      });
      const timer = setTimeout(
        () => request.destroy(new Error(`${method} ${path}: no answer in ${ANSWER_TIMEOUT_MS} ms`)),
        ANSWER_TIMEOUT_MS,
      );
      request.once('response', (response) => {
        clearTimeout(timer);
        resolve({ request, response });
      });
      request.once('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      request.end(payload);
    });
  }
}

function encodeBody(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function encodeQuery(query: Query): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function toApiResponse(response: IncomingMessage, bytes: Buffer): ApiResponse {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return {
    status: response.statusCode ?? 0,
    headers,
    bytes,
    get text() {
      return bytes.toString('utf8');
    },
    get json() {
      return JSON.parse(bytes.toString('utf8')) as KubeObject;
    },
  };
}
