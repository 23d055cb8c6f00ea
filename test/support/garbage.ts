import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** When what is garbage has gone: finalizers and their like have had their turns, buffers are given back some time after. */
async function usage(): Promise<NodeJS.MemoryUsage> {
  for (let i = 0; i < 3; i++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage();
}

/** Bytes of this thread's heap that are in use. */
export async function heapInUse(): Promise<number> {
  return (await usage()).heapUsed;
}

/** The same with buffers. */
export async function heldBytes(): Promise<number> {
  const { heapUsed, arrayBuffers } = await usage();
  return heapUsed + arrayBuffers;
}
