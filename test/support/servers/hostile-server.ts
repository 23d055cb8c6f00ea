import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The modes of the server, by the first segment of the path. */
const MODES: Readonly<
  Record<string, (request: IncomingMessage, response: ServerResponse, secret: string) => void>
> = {
  /** Rejects requests with an error that repeats everything it was sent. */
  echo: ({ headersDistinct }, response) => {
    const message = `who is ${JSON.stringify(headersDistinct)}?`;
    answer(response, 403, { kind: 'Status', status: 'Failure', message, reason: 'Forbidden', code: 403 });
  },
  echoText: ({ headers }, response) => void response.writeHead(503).end(`no ${headers.authorization}`),
  echoRedirect: ({ headers }, response) =>
    void response.writeHead(302, { location: `http://127.0.0.1:1/?${headers.authorization}` }).end(),
  wrongKind: (_, response, secret) =>
    answer(response, 200, { ...LIST, items: [{ ...object(secret), kind: 'Other', apiVersion: 'v1' }] }),
  noName: (_, response, secret) =>
    answer(response, 200, { ...LIST, items: [{ metadata: {}, data: { secret } }] }),
  noJson: (_, response, secret) => text(response, `{"kind":"SecretList","items":[{"data":${secret}}]}`),
  half: (_, response, secret) =>
    text(response, JSON.stringify({ ...LIST, items: [object(secret)] }).slice(0, -8)),
  html: (_, response, secret) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${secret}`),
  /** A valid list, and then unreadable events. */
  events: ({ url }, response, secret) => {
    if (!url?.includes('watch=true')) {
      answer(response, 200, { ...LIST, items: [object(secret)] });
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`{"type":"ADDED","object":${secret}}\n`);
    response.end(`{"type":"${secret}","object":{"kind":"Secret","data":{"a":"${secret}"}}}\n`);
  },
};

export const HOSTILE_MODES: readonly string[] = Object.keys(MODES);

const LIST = { kind: 'SecretList', apiVersion: 'v1', metadata: { resourceVersion: '5' } };

function object(secret: string): object {
  const metadata = { name: 'n', namespace: 'ns', uid: 'u', resourceVersion: '4' };
  return { metadata, data: { secret }, stringData: { [secret]: secret } };
}

function answer(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function text(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

/** An API server that repeats secrets in errors, and sends unreadable objects with secrets in them. */
export class HostileServer implements AsyncDisposable {
  readonly #server: Server;
  /** All header values that it was sent. */
  readonly sent: Set<string> = new Set();
  requests = 0;

  private constructor(secrets: readonly string[]) {
    this.#server = createServer((request, response) => {
      const [, mode = ''] = (request.url ?? '').split('/');
      for (const values of Object.values(request.headersDistinct))
        for (const value of values ?? []) this.sent.add(value);
      const secret = secrets[this.requests++ % secrets.length] ?? '';
      MODES[mode]?.(request, response, secret);
    });
  }

  static async start(secrets: readonly string[]): Promise<HostileServer> {
    const server = new HostileServer(secrets);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
