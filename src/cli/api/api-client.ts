import * as http from 'node:http';
import * as https from 'node:https';
import { gunzipSync } from 'node:zlib';
import { AgentPool, type SocketOptions } from '../../../workers/connection/agent-pool.js';
import { redact } from '../../../workers/connection/redact.js';
import { StreamFailure } from '../../../workers/stream-failure.js';
import type { Credentials } from '../../auth/credentials.js';
import type { KubeConfigLike } from '../../auth/kube-config/kube-config.js';
import { engineCredentials } from '../../engine/engine-credentials.js';
import type { Status } from '../../kube/status.js';
import { systemClock } from '../../util/clock.js';
import { ErrorReporter } from '../../util/error-reporter.js';
import { Metrics } from '../../util/metrics.js';
import type { ConnectionSettings } from '../../wire/connection-settings.js';

/** Long enough for a slow server, short enough for somebody who waits. */
const TIMEOUT_MS = 10_000;

export interface ApiAnswer {
  readonly code: number;
  readonly headers: http.IncomingHttpHeaders;
  /** What was sent as the Authorization header, or nothing. For saying what is wrong with it, never for printing. */
  readonly authorization: string;
  readonly body: string;
}

/** The server refused. */
export class RefusedError extends Error {
  readonly answer: ApiAnswer;

  constructor(answer: ApiAnswer) {
    super(statusOf(answer)?.message ?? `the server answered ${answer.code}`);
    this.answer = answer;
  }
}

/** No answer. `code` as Node names it: `ECONNREFUSED`, `SELF_SIGNED_CERT_IN_CHAIN`. */
export class UnreachableError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface ApiRequest {
  readonly accept?: string;
  readonly compression?: 'gzip' | 'identity';
  /** Ends the answer when it returns true; asked with all that has arrived. @default never */
  readonly isEnough?: (body: string) => boolean;
}

/** Single requests, with the credentials, authorities and proxies of an engine; for what an engine does not do: discovery and diagnosis. */
export class ApiClient {
  readonly #credentials: Credentials;
  readonly #agents = new AgentPool();
  readonly #signal = new AbortController();

  /** Throws `KUBEFLECT_OPTION_INVALID`. */
  constructor(kubeConfig: KubeConfigLike) {
    const errors = new ErrorReporter({
      informerName: 'cli',
      clock: systemClock,
      onError: () => {},
      onCount: () => {},
    });
    const options = { kubeConfig, connection: undefined, execPlugins: 'allow' as const };
    this.#credentials = engineCredentials(options, systemClock, new Metrics(), errors);
  }

  /** Rejects with a `RefusedError`, an `UnreachableError`, or `KUBEFLECT_CREDENTIALS_FAILED`. */
  async json<T>(path: string, request: ApiRequest = {}): Promise<T> {
    const answer = await this.get(path, request);
    if (answer.code !== 200) throw new RefusedError(answer);
    try {
      return JSON.parse(answer.body) as T;
    } catch {
      throw new UnreachableError(
        'EPROTO',
        'the answer is no JSON; a proxy may have given it instead of the API server',
      );
    }
  }

  async get(path: string, request: ApiRequest = {}): Promise<ApiAnswer> {
    const settings = await this.#credentials.current();
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(unreachable(error, settings));
      let sent: http.ClientRequest;
      try {
        sent = this.#send(settings, path, request);
      } catch (error) {
        fail(error as Error);
        return;
      }
      sent.setTimeout(TIMEOUT_MS, () =>
        sent.destroy(new UnreachableError('ETIMEDOUT', `no answer within ${TIMEOUT_MS} ms`)),
      );
      sent.on('error', fail);
      sent.on('response', (response) => {
        readBody(response, request)
          .then((body) => {
            sent.destroy();
            const authorization = String(settings.headers['authorization'] ?? '');
            const code = response.statusCode ?? 0;
            const shown = code === 200 ? body : redact(body, settings.headers);
            resolve({ code, headers: response.headers, authorization, body: shown });
          })
          .catch(fail);
      });
    });
  }

  close(): void {
    this.#signal.abort();
    this.#credentials.close();
    this.#agents.close();
  }

  #send(settings: ConnectionSettings, path: string, request: ApiRequest): http.ClientRequest {
    const server = new URL(settings.server);
    const isTls = server.protocol === 'https:';
    const socketOptions: SocketOptions = { timeoutMs: TIMEOUT_MS, signal: this.#signal.signal };
    const options: http.RequestOptions & { socketOptions: SocketOptions } = {
      agent: this.#agents.agentOf(settings),
      socketOptions,
      host: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port === '' ? (isTls ? 443 : 80) : server.port,
      path: server.pathname.replace(/\/$/, '') + path,
    };
    const sent = (isTls ? https : http).request(options);
    const headers = {
      ...settings.headers,
      'User-Agent': 'kubeflect-cli',
      Accept: request.accept ?? 'application/json',
      'Accept-Encoding': request.compression ?? 'identity',
    };
    for (const [name, value] of Object.entries(headers))
      sent.setHeader(name, value as string | readonly string[]);
    sent.end();
    return sent;
  }
}

async function readBody(response: http.IncomingMessage, { isEnough }: ApiRequest): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    if (isEnough?.(Buffer.concat(chunks).toString())) break;
  }
  const body = Buffer.concat(chunks);
  return (response.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
}

function unreachable(error: Error, { server }: ConnectionSettings): UnreachableError {
  if (error instanceof UnreachableError) return error;
  const failure = error instanceof StreamFailure ? error.wire : undefined;
  const code = failure?.type === 'transport' ? failure.errno : (error as NodeJS.ErrnoException).code;
  return new UnreachableError(code ?? 'unknown', `${server}: ${error.message || code}`);
}

/** The server's own words, if it has any. */
export function statusOf({ body }: ApiAnswer): Status | undefined {
  try {
    const status = JSON.parse(body) as Status | null;
    return status?.kind === 'Status' ? status : undefined;
  } catch {
    return undefined;
  }
}
