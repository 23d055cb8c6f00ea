import { Session } from 'node:inspector';

/**
 * Memory that was shared with a thread is kept until the thread collects its garbage, and V8 counts shared memory as
 * nothing: a thread that is idle between two writes would keep every slab that it has ever seen. Node has no function
 * for this; an inspector session of the thread with itself is the one way without flags of the process.
 */
export function collectGarbage(): void {
  try {
    const session = new Session();
    session.connect();
    session.post('HeapProfiler.collectGarbage');
    session.disconnect();
  } catch {
    // Node's permission model forbids it: memory is freed later.
  }
}
