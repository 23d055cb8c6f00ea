import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const PAGE = Buffer.alloc(4096);

/** Growable shared buffers that were made in this thread since this module was loaded: Node counts them nowhere. */
const growable = new Set<WeakRef<SharedArrayBuffer>>();

globalThis.SharedArrayBuffer = new Proxy(SharedArrayBuffer, {
  construct(target, given: unknown[], newTarget) {
    const buffer = Reflect.construct(target, given, newTarget) as SharedArrayBuffer;
    if (given.length > 1) growable.add(new WeakRef(buffer));
    return buffer;
  },
});

/** Up to where a buffer was written; what is behind that is not in memory. */
function writtenBytes(buffer: SharedArrayBuffer): number {
  const bytes = Buffer.from(buffer);
  let end = bytes.length;
  while (end >= PAGE.length && bytes.compare(PAGE, 0, PAGE.length, end - PAGE.length, end) === 0)
    end -= PAGE.length;
  return end;
}

/** When what is garbage has gone: finalizers and their like have had their turns, buffers are given back some time after. */
async function usage(): Promise<NodeJS.MemoryUsage> {
  for (let i = 0; i < 3; i++) {
    collect();
    // Finalizers run, and buffers are released, some time after a collection.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage();
}

/** Bytes of this thread's heap that are in use. */
export async function heapInUse(): Promise<number> {
  return (await usage()).heapUsed;
}

/** The same with buffers, slabs included. */
export async function heldBytes(): Promise<number> {
  const { heapUsed, arrayBuffers } = await usage();
  let held = heapUsed + arrayBuffers;
  for (const ref of growable) {
    const buffer = ref.deref();
    if (buffer === undefined) growable.delete(ref);
    else held += writtenBytes(buffer);
  }
  return held;
}
