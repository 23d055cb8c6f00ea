import type * as http from 'node:http';
import { gunzipSync } from 'node:zlib';
import { AgentPool } from '../../../workers/connection/agent-pool.js';
import { redact } from '../../../workers/connection/redact.js';
import { makeRequest } from '../../../workers/connection/request.js';
import { StreamFailure } from '../../../workers/stream-failure.js';
import { checkSource } from '../../auth/connection-source.js';
import { Credentials } from '../../auth/credentials.js';
import { AuthProvider } from '../../auth/kube-config/auth-provider.js';
import { type KubeConfigLike, KubeConfigSource } from '../../auth/kube-config/kube-config.js';
import type { Status } from '../../kube/status.js';
import { systemClock, systemWallTime } from '../../util/clock.js';
import type { ConnectionSettings } from '../../wire/connection-settings.js';

/** Long enough for a slow server, short enough for a user who waits. */
const TIMEOUT_MS = 10_000;

export interface ApiResponse {
  readonly code: number;
  readonly headers: http.IncomingHttpHeaders;
  /** The Authorization header that was sent, or an empty string. Never to be printed. */
  readonly authorization: string;
  readonly body: string;
}

/** The server responded with an error. */
export class ApiResponseError extends Error {
  readonly response: ApiResponse;

  constructor(response: ApiResponse) {
    super(statusOf(response)?.message ?? `the server responded with ${response.code}`);
    this.response = response;
  }
}

/** There was no response. `code` is that of Node: `ECONNREFUSED`, `SELF_SIGNED_CERT_IN_CHAIN`. */
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
  /** Called with the body so far; reading stops when it returns true. @default the body is read to the end */
  readonly isEnough?: (body: string) => boolean;
}

/**
 * Single GET requests, for what an engine does not do: discovery and diagnosis. Credentials, certificate authorities
 * and proxies are those of an engine.
 */
export class ApiClient {
  readonly #credentials: Credentials;
  readonly #agents = new AgentPool();
  readonly #closed = new AbortController();

  constructor(kubeConfig: KubeConfigLike) {
    const provider = new AuthProvider({ kubeConfig, clock: systemClock, wallTime: systemWallTime });
    const context = new KubeConfigSource(kubeConfig, provider);
    this.#credentials = new Credentials({ source: () => checkSource(context.read(), 'allow') });
  }

  /** Rejects with an `ApiResponseError`, an `UnreachableError`, or a `KubeflectError` about the credentials. */
  async json<T>(path: string, request: ApiRequest = {}): Promise<T> {
    const response = await this.get(path, request);
    if (response.code !== 200) throw new ApiResponseError(response);
    try {
      return JSON.parse(response.body) as T;
    } catch {
      throw new UnreachableError(
        'EPROTO',
        'the response is not JSON; it may come from a proxy instead of the API server',
      );
    }
  }

  /** Resolves with any response, also with an error. Rejects as `json` does. */
  async get(path: string, request: ApiRequest = {}): Promise<ApiResponse> {
    const settings = await this.#credentials.current();
    try {
      const sent = this.#send(settings, path, request);
      const response = await responseOf(sent);
      const body = await readBody(response, request);
      sent.destroy();
      const code = response.statusCode ?? 0;
      return {
        code,
        headers: response.headers,
        authorization: String(settings.headers['authorization'] ?? ''),
        body: code === 200 ? body : redact(body, settings.headers),
      };
    } catch (error) {
      throw toUnreachableError(error as Error, settings);
    }
  }

  close(): void {
    this.#closed.abort();
    this.#credentials.close();
    this.#agents.close();
  }

  #send(settings: ConnectionSettings, path: string, request: ApiRequest): http.ClientRequest {
    const { accept = 'application/json', compression = 'identity' } = request;
    const connection = { ...settings, compression };
    const socketOptions = { timeoutMs: TIMEOUT_MS, signal: this.#closed.signal };
    const sent = makeRequest({ connection, path, accept, socketOptions }, this.#agents.agentOf(settings));
    sent.setTimeout(TIMEOUT_MS, () =>
      sent.destroy(new UnreachableError('ETIMEDOUT', `no response within ${TIMEOUT_MS} ms`)),
    );
    sent.end();
    return sent;
  }
}

function responseOf(sent: http.ClientRequest): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Not once: a request that is destroyed may report another error.
    sent.on('error', reject);
    sent.once('response', resolve);
  });
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

function toUnreachableError(error: Error, { server }: ConnectionSettings): UnreachableError {
  if (error instanceof UnreachableError) return error;
  const failure = error instanceof StreamFailure ? error.wire : undefined;
  const code = failure?.type === 'transport' ? failure.errno : (error as NodeJS.ErrnoException).code;
  return new UnreachableError(code ?? 'unknown', `${server}: ${error.message || code}`);
}

/** The Status in the body of an error response, if it has one. */
export function statusOf({ body }: ApiResponse): Status | undefined {
  try {
    const status = JSON.parse(body) as Status | null;
    return status?.kind === 'Status' ? status : undefined;
  } catch {
    return undefined;
  }
}
