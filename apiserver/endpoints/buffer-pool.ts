/** Bytes rendered before the socket and the event loop are checked again. */
export const SLICE_BYTES: number = 256 * 1024;

/** Released by finished lists: allocating a buffer for every slice would be most of the work. */
const free: Buffer[] = [];
const MAX_FREE = 8;

export function checkOutBuffer(): Buffer {
  return free.pop() ?? Buffer.allocUnsafeSlow(SLICE_BYTES);
}

/** Only when no socket reads from it any more. */
export function releaseBuffer(buffer: Buffer): void {
  if (free.length < MAX_FREE) free.push(buffer);
}
