import type { LeaseReply, LeaseRequest, LeaseTask } from '../lease/lease-messages.js';
import { spawnPiscina } from '../pool/piscina-thread.js';
import { ThreadExit } from '../pool/thread.js';
import { HEARTBEAT_SLOTS } from '../wire/messages.js';

/** A Lease thread needs little: requests of a kilobyte. */
const HEAP_MB = 64;

/** Runs elections and single requests: on a thread, or, without threads, on this one. */
export interface LeaseRunner {
  /** Resolves when the election has ended. The port of the task is transferred. */
  hold(task: LeaseTask): Promise<void>;
  request(request: LeaseRequest): Promise<LeaseReply>;
  /** Resolves when the thread has ended. Idempotent. */
  end(): Promise<void>;
}

/** `onGone` is called, once or more, when the thread has ended. May throw: see `SpawnThread`. */
export function startLeaseThread(entry: URL, onGone: (cause: unknown) => void): LeaseRunner {
  const { piscina, worker } = spawnPiscina({ entry, heapMb: HEAP_MB });
  worker.once('error', onGone);
  worker.once('exit', (code) => onGone(new ThreadExit(code)));
  // Fails if the thread's code cannot be loaded.
  piscina
    .run(new Int32Array(new SharedArrayBuffer(HEARTBEAT_SLOTS * 4)), { name: 'startThread' })
    .catch(onGone);
  return {
    hold: (task) => piscina.run(task, { name: 'holdLease', transferList: [task.port as never] }),
    request: (request) => piscina.run(request, { name: 'requestLease' }),
    end: async () => {
      const destroyed = piscina.destroy();
      void worker.terminate();
      await destroyed;
    },
  };
}

/** Renewals then wait for this thread like everything else: see `EngineOptions.workers`. */
export function runLeasesInline(): LeaseRunner {
  const loaded = import('../../workers/main.js');
  loaded.catch(() => {});
  return {
    hold: async (task) => (await loaded).holdLease(task),
    request: async (request) => (await loaded).requestLease(request),
    end: async () => (await loaded).closeLeaseConnections(),
  };
}
