/**
 * The document that a stream is decoding, in shared memory: when the worker dies, the main thread knows which
 * document it died on.
 *
 *     0  bytes of the document; 0 while there is none
 *     1  CRC-32 of its beginning
 *     2  and 3: see credit-counter.ts
 */

import { crc32 } from 'node:zlib';

const BYTES = 0;
const CHECKSUM = 1;
const SLOTS = 4;

/**
 * Enough for the name, uid and version of an object, which are near its beginning. A longer checksum would cost more
 * and distinguish no more.
 */
const HEAD_BYTES = 2048;

export function newMarker(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT));
}

/** Marks the document as being decoded. */
export function mark(marker: Int32Array, document: Uint8Array): void {
  marker[BYTES] = document.length;
  marker[CHECKSUM] = crc32(document.subarray(0, HEAD_BYTES));
}

export function unmark(marker: Int32Array): void {
  marker[BYTES] = 0;
}

/** The fingerprint of the marked document; undefined if none is marked. */
export function fingerprintOf(marker: Int32Array): string | undefined {
  const { [BYTES]: bytes = 0, [CHECKSUM]: checksum = 0 } = marker;
  return bytes === 0 ? undefined : `${bytes}.${checksum >>> 0}`;
}
