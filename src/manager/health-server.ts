import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeflectError } from '../util/errors.js';
import { type HealthReport, healthJson, healthText, isHealthy } from './health-report.js';

/** Probes and scrapes need few connections, no body and no time. */
const MAX_CONNECTIONS = 64;
const MAX_HEADER_BYTES = 8 * 1024;
const REQUEST_TIMEOUT_MS = 5_000;
const CHECK_INTERVAL_MS = 1_000;
const MAX_REQUESTS_PER_CONNECTION = 1_000;

const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const PLAIN_TEXT = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json';

export interface HealthServerOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  readonly healthz: () => HealthReport;
  readonly readyz: () => HealthReport;
  /** Prometheus' text format. */
  readonly metrics: () => string | Promise<string>;
}

/** Serves `/healthz`, `/readyz` and `/metrics`. Requests are bounded in number, size and time. */
export class HealthServer {
  readonly #options: HealthServerOptions;
  readonly #server: Server;

  private constructor(options: HealthServerOptions) {
    this.#options = options;
    this.#server = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        requestTimeout: REQUEST_TIMEOUT_MS,
        headersTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: REQUEST_TIMEOUT_MS,
        connectionsCheckingInterval: CHECK_INTERVAL_MS,
      },
      (request, response) => void this.#handle(request, response),
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
    // A reader that does not read.
    this.#server.timeout = 2 * REQUEST_TIMEOUT_MS;
  }

  /** Rejects with `KUBEFLECT_LISTEN_FAILED`. */
  static async listen(options: HealthServerOptions): Promise<HealthServer> {
    const health = new HealthServer(options);
    const { host, port } = options;
    await new Promise<void>((resolve, reject) => {
      health.#server.once('error', (cause) => reject(listenFailed(host, port, cause)));
      health.#server.listen({ host, port, exclusive: true }, resolve);
    });
    return health;
  }

  /** With the port that it listens on. */
  get url(): string {
    const { address, family, port } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    // Not read: the connection ends with the response.
    if (hasBody) send(response, 413, 'this endpoint takes no body\n', { connection: 'close' });
    else if (method !== 'GET' && method !== 'HEAD')
      send(response, 405, 'only GET and HEAD are served\n', { allow: 'GET, HEAD' });
    else await this.#serve(request, response);
  }

  async #serve({ url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path, query = ''] = url.split('?', 2);
    const { healthz, readyz } = this.#options;
    if (path === '/metrics') await this.#sendMetrics(response);
    else if (path === '/healthz' || path === '/readyz') {
      const report = path === '/healthz' ? healthz() : readyz();
      const code = isHealthy(report) ? 200 : 503;
      const isVerbose = new URLSearchParams(query).has('verbose');
      if (headers.accept?.includes(JSON_TYPE) === true)
        send(response, code, healthJson(report), { 'content-type': JSON_TYPE });
      else send(response, code, healthText(report, { verbose: isVerbose }));
    } else send(response, 404, 'there are /healthz, /readyz and /metrics\n');
  }

  async #sendMetrics(response: ServerResponse): Promise<void> {
    try {
      send(response, 200, await this.#options.metrics(), { 'content-type': PROMETHEUS_TEXT });
    } catch {
      // What was thrown is the program's, and may contain anything.
      send(response, 500, 'the metrics could not be read\n');
    }
  }
}

/** Node sends no body in a response to HEAD. */
function send(
  response: ServerResponse,
  code: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(code, {
    'content-type': PLAIN_TEXT,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(body);
}

function listenFailed(host: string, port: number, cause: NodeJS.ErrnoException): KubeflectError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'the port is in use',
    EACCES: 'the process may not use this port',
    EADDRNOTAVAIL: 'this machine does not have the address',
    ENOTFOUND: 'the host is unknown',
  };
  const { code = 'EUNKNOWN' } = cause;
  const message = `the health endpoints cannot listen on ${host}, port ${port}: ${reasons[code] ?? code}`;
  return new KubeflectError('KUBEFLECT_LISTEN_FAILED', message, { cause });
}
