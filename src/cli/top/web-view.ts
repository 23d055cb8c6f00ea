import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageHtml } from './page.js';
import type { Snapshot } from './snapshot.js';

/** What a page that is opened later is told of the past. */
const KEPT_SNAPSHOTS = 600;

/** Serves one page, and what it shows as server-sent events. On 127.0.0.1 only. */
export class WebView {
  readonly url: string;
  readonly #server: Server;
  readonly #listeners = new Set<ServerResponse>();
  readonly #kept: string[];

  private constructor(server: Server, listeners: Set<ServerResponse>, kept: string[]) {
    this.#server = server;
    this.#listeners = listeners;
    this.#kept = kept;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  static async start(port: number): Promise<WebView> {
    const listeners = new Set<ServerResponse>();
    const kept: string[] = [];
    const server = createServer((request, response) => answer(request, response, listeners, kept));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    return new WebView(server, listeners, kept);
  }

  send(snapshot: Snapshot): void {
    const event = `data: ${JSON.stringify(snapshot)}\n\n`;
    this.#kept.push(event);
    if (this.#kept.length > KEPT_SNAPSHOTS) this.#kept.shift();
    for (const listener of this.#listeners) listener.write(event);
  }

  async close(): Promise<void> {
    for (const listener of this.#listeners) listener.end();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  listeners: Set<ServerResponse>,
  kept: readonly string[],
): void {
  // A page of somebody else's, whose name was made to mean this machine, asks by that name.
  const [host = ''] = (request.headers.host ?? '').split(':');
  if (!['127.0.0.1', 'localhost'].includes(host) || request.method !== 'GET') {
    response.writeHead(403).end();
    return;
  }
  if (request.url === '/') {
    const nonce = randomBytes(16).toString('base64');
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; img-src data:`,
      'cache-control': 'no-store',
    });
    response.end(pageHtml(nonce));
  } else if (request.url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(kept.join(''));
    listeners.add(response);
    response.once('close', () => listeners.delete(response));
  } else response.writeHead(404).end();
}
