/** A reverse proxy in front of an API server: records requests, and can go down for a while. */

import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as plain,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Agent, request as tls } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Connection } from '../../conformance/harness/client.js';

export interface RecordedRequest {
  readonly verb: 'list' | 'watch';
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly status: number;
  /** The complete response of a list, or the events of a watch until now. */
  readonly body: () => string;
}

/** True for 410 Gone, as the status or as an event of a watch. */
export function isExpired({ verb, status, body }: RecordedRequest): boolean {
  return status === 410 || (verb === 'watch' && /"code":410|Expired/.test(body()));
}

export class RecordingProxy {
  /** In the order of the responses. */
  readonly requests: RecordedRequest[] = [];
  readonly #keepsBodies: boolean;
  #bytes = 0;
  /** Called with each request, which is forwarded when it resolves, or with `gone` answered with 410. */
  intercept: ((target: URL) => Promise<'gone' | undefined>) | undefined;
  readonly #target: Connection;
  readonly #agent: Agent | undefined;
  readonly #server: Server;
  #port = 0;
  #isHeld = false;
  #heldBack: (() => void)[] = [];

  private constructor(target: Connection, keepsBodies: boolean) {
    this.#keepsBodies = keepsBodies;
    this.#target = target;
    if (target.url.protocol === 'https:') this.#agent = new Agent({ ...target.tls, keepAlive: true });
    this.#server = createServer((incoming, outgoing) => void this.#answer(incoming, outgoing));
  }

  /** Resolves when the proxy listens. Without `keepsBodies`, only their bytes are counted. */
  static async start(target: Connection, { keepsBodies = true } = {}): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(target, keepsBodies);
    await proxy.up();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Of all bodies that were passed on. */
  get bytes(): number {
    return this.#bytes;
  }

  of(verb: RecordedRequest['verb']): RecordedRequest[] {
    return this.requests.filter((request) => request.verb === verb);
  }

  /** Connections stay open without data, until `resume` or `cut`. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Sends what was held back. */
  resume(): void {
    this.#isHeld = false;
    for (const send of this.#heldBack.splice(0)) send();
  }

  /** Resets all connections; new ones are accepted. */
  cut(): void {
    this.#isHeld = false;
    this.#heldBack = [];
    this.#server.closeAllConnections();
  }

  /** Listens again on the same port. */
  async up(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Resets all connections and refuses new ones. */
  async down(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async close(): Promise<void> {
    await this.down();
    this.#agent?.destroy();
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const target = new URL(incoming.url ?? '', 'http://proxy');
    if ((await this.intercept?.(target)) !== 'gone') return this.#forward(incoming, outgoing);
    incoming.resume();
    outgoing.writeHead(410, { 'Content-Type': 'application/json' });
    outgoing.end(
      JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410 }),
    );
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { url, headers } = this.#target;
    const send = url.protocol === 'https:' ? tls : plain;
    const upstream = send({
      ...{ host: url.hostname, port: url.port, method: incoming.method, path: incoming.url },
      ...(this.#agent && { agent: this.#agent }),
      headers: { ...incoming.headers, host: url.host, ...headers },
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    upstream.on('response', (response) => {
      this.#note(incoming.url ?? '', response);
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      outgoing.flushHeaders();
      response.on('data', (chunk: Buffer) => {
        if (this.#isHeld) this.#heldBack.push(() => outgoing.write(chunk));
        else outgoing.write(chunk);
      });
      response.on('end', () => outgoing.end());
      response.on('error', () => outgoing.destroy());
    });
    incoming.pipe(upstream);
  }

  #note(target: string, response: IncomingMessage): void {
    const { pathname, searchParams } = new URL(target, 'http://proxy');
    // The probes of silent watches are not recorded.
    if (pathname === '/livez') return;
    const query = Object.fromEntries(searchParams);
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#keepsBodies) chunks.push(chunk);
    });
    this.requests.push({
      verb: query['watch'] === undefined ? 'list' : 'watch',
      path: pathname,
      query,
      status: response.statusCode ?? 0,
      body: () => Buffer.concat(chunks).toString(),
    });
  }
}
