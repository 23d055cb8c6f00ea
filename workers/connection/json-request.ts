import type * as http from 'node:http';
import type { ConnectionSettings } from '../../src/wire/connection-settings.js';
import type { WireError } from '../../src/wire/messages.js';
import { UnknownFields } from '../decode/protobuf/unknown-fields.js';
import { errnoOf, protocolFailure, StreamFailure, transportFailure } from '../stream-failure.js';
import type { AgentPool } from './agent-pool.js';
import { errorResponseText, wireErrorOf } from './error-response.js';
import { redact } from './redact.js';
import { makeRequest } from './request.js';

/** A Lease is less than a kilobyte. */
const MAX_BODY_BYTES = 1024 * 1024;

export interface JsonRequest {
  readonly connection: ConnectionSettings;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path and query, below the prefix of the server's address. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  readonly timeoutMs: number;
  /** Called with the status code, before the body is read. */
  readonly onResponse?: (code: number) => void;
}

/**
 * Sends one small request, and resolves with the object of a 2xx response. Rejects with a `StreamFailure` that
 * contains no credentials. Aborting destroys the socket. Nothing is sent twice: what became of a write whose response
 * is missing is unknown, and the caller has to read.
 */
export function requestJson(
  request: JsonRequest,
  agents: Pick<AgentPool, 'agentOf'>,
  signal: AbortSignal,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const { connection, method, path, timeoutMs, body, onResponse } = request;
    const deadline = AbortSignal.timeout(Math.ceil(timeoutMs));
    const either = AbortSignal.any([signal, deadline]);
    const socketOptions = { timeoutMs, signal: either };
    let outgoing: http.ClientRequest;
    try {
      const plain: ConnectionSettings = { ...connection, compression: 'identity' };
      const spec = { connection: plain, path, accept: 'application/json', socketOptions, method };
      outgoing = makeRequest(
        body === undefined ? spec : { ...spec, body: 'json' },
        agents.agentOf(connection),
      );
    } catch (error) {
      // Node's message may quote a header.
      reject(
        error instanceof StreamFailure
          ? error
          : protocolFailure(`the request cannot be sent: ${errnoOf(error)}`),
      );
      return;
    }
    const settle = (failure: StreamFailure | undefined, value?: unknown): void => {
      either.removeEventListener('abort', onAbort);
      if (failure === undefined) resolve(value);
      else reject(failure);
    };
    const onAbort = (): void => {
      outgoing.destroy();
      settle(
        deadline.aborted
          ? transportFailure('ETIMEDOUT', `no response within ${Math.round(timeoutMs)} ms`)
          : transportFailure('aborted', 'the request was aborted'),
      );
    };
    either.addEventListener('abort', onAbort, { once: true });
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      settle(error instanceof StreamFailure ? error : transportFailure(errnoOf(error), error.message)),
    );
    outgoing.on('response', (response) => {
      const { statusCode: code = 0 } = response;
      onResponse?.(code);
      readBody(response).then(
        (bytes) => {
          if (code < 200 || code >= 300) settle(new StreamFailure(errorOf(bytes, response, connection)));
          else settle(...parsed(bytes));
        },
        (failure: StreamFailure) => {
          outgoing.destroy();
          settle(failure);
        },
      );
    });
    if (either.aborted) onAbort();
    else if (body === undefined) outgoing.end();
    else {
      const bytes = Buffer.from(JSON.stringify(body));
      // Node frames the body of a DELETE only by a length that is set.
      outgoing.setHeader('Content-Length', bytes.length);
      outgoing.end(bytes);
    }
  });
}

function readBody(response: http.IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    response.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > MAX_BODY_BYTES) reject(protocolFailure('the response is longer than 1 MiB'));
    });
    response.on('end', () => resolve(Buffer.concat(chunks)));
    const onCut = (): void =>
      reject(transportFailure('truncated', 'the connection was closed in the middle of the response'));
    response.on('error', onCut);
    response.on('close', onCut);
  });
}

function errorOf(
  bytes: Uint8Array,
  response: http.IncomingMessage,
  { headers }: ConnectionSettings,
): WireError {
  const body = redact(errorResponseText(bytes, new UnknownFields()), headers);
  return wireErrorOf({ code: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], body });
}

function parsed(bytes: Uint8Array): [failure: StreamFailure | undefined, value?: unknown] {
  try {
    return [undefined, JSON.parse(Buffer.from(bytes).toString())];
  } catch {
    return [protocolFailure('the response is not JSON; a proxy may have sent it instead of the API server')];
  }
}
