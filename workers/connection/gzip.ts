import type { Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { protocolFailure, type StreamFailure, truncated } from '../stream-failure.js';

/** As large as what a socket delivers at once. Node's default of 16 KiB would mean four times as many events. */
const DECOMPRESSED_CHUNK_BYTES = 64 * 1024;

/** The ratio is not checked below this: a small body may be as compressible as it likes. */
const UNCHECKED_BYTES = 10 * 1024 * 1024;

/**
 * Decompresses a response body. `onFailure` may be called more than once: for a body that is not gzip, that ends too
 * early, or that decompresses to more than `maxRatio` times its size, which is taken for a decompression bomb.
 */
export function decompress(
  source: Readable,
  maxRatio: number,
  onFailure: (failure: StreamFailure) => void,
): Gunzip {
  // Reads one gzip member after another: a server that flushes between events begins a new one each time.
  const gunzip = createGunzip({ chunkSize: DECOMPRESSED_CHUNK_BYTES });
  let decompressedBytes = 0;
  gunzip.on('error', (error: NodeJS.ErrnoException) => {
    const isTruncated = error.code === 'Z_BUF_ERROR';
    onFailure(
      isTruncated
        ? truncated('the gzip stream ended too early')
        : protocolFailure('the response is not valid gzip'),
    );
  });
  gunzip.on('data', (chunk: Buffer) => {
    decompressedBytes += chunk.length;
    const isOverRatio = decompressedBytes > gunzip.bytesWritten * maxRatio;
    if (decompressedBytes <= UNCHECKED_BYTES || !isOverRatio) return;
    onFailure(protocolFailure(`the gzip stream decompresses to more than ${maxRatio} times its size`));
  });
  // Whatever follows the last member is ignored, but has to be read so that the socket can be reused.
  gunzip.on('end', () => source.resume());
  return source.pipe(gunzip);
}
