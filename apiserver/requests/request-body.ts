import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { StatusError } from '../status-error.js';

export interface RequestBody {
  /** In lower case and without parameters; empty when the client did not say. */
  readonly mediaType: string;
  readonly bytes: Buffer;
}

const LIMIT_BYTES = 3 * 1024 * 1024;
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const BRACE = 0x7b;

/** The whole body; 413 above 3 MiB, as kube-apiserver limits it. */
export async function readBody(request: IncomingMessage | Http2ServerRequest): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= LIMIT_BYTES) chunks.push(chunk);
  }
  if (size > LIMIT_BYTES) {
    throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${LIMIT_BYTES}`);
  }
  const mediaType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return { mediaType, bytes: Buffer.concat(chunks) };
}

/** How the object in a body is written. 415 for what is not spoken; of YAML only what is also JSON is. */
export function formatOf({ mediaType, bytes }: RequestBody): 'json' | 'protobuf' {
  if (mediaType === PROTOBUF) return 'protobuf';
  const isJson = mediaType === '' || mediaType === 'application/json';
  if (isJson || (mediaType === 'application/yaml' && bytes[0] === BRACE)) return 'json';
  throw unsupportedMediaType(['application/json', 'application/yaml', PROTOBUF]);
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}
