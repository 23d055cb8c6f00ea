import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { StatusError } from '../status-error.js';

export interface RequestBody {
  /** In lower case and without parameters; empty if the client sent none. */
  readonly mediaType: string;
  readonly bytes: Buffer;
}

const LIMIT_BYTES = 3 * 1024 * 1024;
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const BRACE = 0x7b;

/** The complete body; 413 above 3 MiB, the limit of kube-apiserver. */
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

/** The encoding of the object in a body. 415 for unsupported ones; of YAML, only JSON is supported. */
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
