/** Bytes rendered between two looks at the socket and the event loop. */
export const SLICE_BYTES: number = 256 * 1024;

/** Of lists that are over. New memory for every slice would be most of the work. */
const lying: Buffer[] = [];
const MAX_LYING = 8;

export function takeMemory(): Buffer {
  return lying.pop() ?? Buffer.allocUnsafeSlow(SLICE_BYTES);
}

/** Once nobody looks at it any more. */
export function giveMemory(memory: Buffer): void {
  if (lying.length < MAX_LYING) lying.push(memory);
}
