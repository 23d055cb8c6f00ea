/** Protobuf or JSON: what a request accepts, and what its response is encoded in. */
import type { Encoding, StreamTask } from '../../src/wire/stream-task.js';

/**
 * The status of a server that has none of the accepted encodings. Custom resources have no protobuf, and servers answer
 * 406 instead of the second choice: the request is then repeated with JSON alone.
 */
export const NOT_ACCEPTABLE = 406;

const MEDIA_TYPES: Readonly<Record<Encoding, string>> = {
  protobuf: 'application/vnd.kubernetes.protobuf',
  json: 'application/json',
};

/** The Accept header. Aggregated servers need not know the metadata form; the decoder accepts full objects then. */
export function acceptHeader(
  form: StreamTask['decoding']['form'],
  verb: StreamTask['verb'],
  encodings: readonly Encoding[],
): string {
  const types = encodings.map((encoding) => MEDIA_TYPES[encoding]);
  if (form === 'object') return types.join(',');
  const kind = verb === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  const partial = types.map((type) => `${type};as=${kind};g=meta.k8s.io;v=v1`);
  return [...partial, MEDIA_TYPES.json].join(',');
}

/** By the Content-Type of a response; undefined if it was not accepted. Without a type it is JSON. */
export function encodingOf(
  contentType: string | undefined,
  accepted: readonly Encoding[],
): Encoding | undefined {
  if (contentType?.startsWith(MEDIA_TYPES.protobuf)) {
    return accepted.find((encoding) => encoding === 'protobuf');
  }
  return contentType === undefined || contentType.includes('json') ? 'json' : undefined;
}
