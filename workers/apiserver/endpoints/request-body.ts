import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { StatusError } from './status-error.js';

const LIMIT_BYTES = 3 * 1024 * 1024;

/** The whole body as text; 413 above 3 MiB, as kube-apiserver limits it. */
export async function readBody(request: IncomingMessage | Http2ServerRequest): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= LIMIT_BYTES) chunks.push(chunk);
  }
  if (bytes > LIMIT_BYTES) {
    throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${LIMIT_BYTES}`);
  }
  return Buffer.concat(chunks).toString();
}
