import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageHtml } from './page.js';
import type { Snapshot } from './sampler.js';

/** Replayed to a page that is opened later. */
const MAX_HISTORY = 600;

const LOCAL_HOSTS: readonly string[] = ['127.0.0.1', 'localhost'];

/** Serves one page on 127.0.0.1, and its snapshots as server-sent events. */
export class WebView {
  readonly #server: Server;
  readonly #clients = new Set<ServerResponse>();
  /** Encoded as server-sent events. */
  readonly #history: string[] = [];

  private constructor() {
    this.#server = createServer((request, response) => this.#handle(request, response));
  }

  static async start(port: number): Promise<WebView> {
    const view = new WebView();
    await new Promise<void>((resolve, reject) => {
      view.#server.once('error', reject);
      view.#server.listen(port, '127.0.0.1', resolve);
    });
    return view;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  send(snapshot: Snapshot): void {
    const event = `data: ${JSON.stringify(snapshot)}\n\n`;
    this.#history.push(event);
    if (this.#history.length > MAX_HISTORY) this.#history.shift();
    for (const client of this.#clients) client.write(event);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.end();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    // Against DNS rebinding: a foreign page whose host name resolves to this machine sends that name.
    const [host = ''] = (request.headers.host ?? '').split(':');
    if (!LOCAL_HOSTS.includes(host) || request.method !== 'GET') response.writeHead(403).end();
    else if (request.url === '/') sendPage(response);
    else if (request.url === '/events') this.#subscribe(response);
    else response.writeHead(404).end();
  }

  #subscribe(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(this.#history.join(''));
    this.#clients.add(response);
    response.once('close', () => this.#clients.delete(response));
  }
}

function sendPage(response: ServerResponse): void {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    'img-src data:',
  ];
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
  });
  response.end(pageHtml(nonce));
}
