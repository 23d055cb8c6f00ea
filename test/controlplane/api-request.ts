/** One HTTPS request to the API server, on its own connection, for the set-up of the control plane and its tests. */

import { request } from 'node:https';

/** Credentials of the client and its certificate authority, in PEM. */
export interface ApiCredentials {
  ca: string;
  token?: string;
  certificate?: string;
  privateKey?: string;
}

export interface ApiRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  credentials: ApiCredentials;
  body?: unknown;
}

export interface ApiResponse {
  status: number;
  text: string;
}

/** More than any response takes on a loaded machine, less than the timeout of a test. */
const REQUEST_TIMEOUT_MS = 15_000;

export function apiRequest({ method = 'GET', url, credentials, body }: ApiRequest): Promise<ApiResponse> {
  const { ca, token, certificate, privateKey } = credentials;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method,
        agent: false,
        ca,
        cert: certificate,
        key: privateKey,
        headers: {
          accept: 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => {
          text += chunk;
        });
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
        incoming.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
