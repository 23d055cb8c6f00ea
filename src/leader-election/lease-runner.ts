import type { LeaseReply, LeaseRequest, LeaseTask } from '../lease/lease-messages.js';
import { spawnPiscina } from '../pool/piscina-thread.js';
import { ThreadExit } from '../pool/thread.js';
import { Heartbeat, heartbeatIntervals } from '../pool/worker-death.js';
import { systemClock } from '../util/clock.js';

/** A Lease thread needs little: requests of a kilobyte. */
const HEAP_MB = 64;

/** Runs elections and single requests: on a thread, or, without threads, on this one. */
export interface LeaseRunner {
  /** Resolves when the election has ended. The port of the task is transferred. */
  hold(task: LeaseTask): Promise<void>;
  request(request: LeaseRequest): Promise<LeaseReply>;
  /** Must be called regularly; reports a thread whose event loop is blocked as gone. */
  checkHeartbeat(): void;
  /** Resolves when the thread has ended. Idempotent. */
  end(): Promise<void>;
}

export interface LeaseThreadOptions {
  readonly entry: URL;
  /** See `AdvancedEngineOptions`. */
  readonly heartbeatTimeoutMs: number;
  /** Called, once or more, when the thread has ended, or hangs. */
  readonly onGone: (cause: unknown) => void;
}

/** May throw: see `SpawnThread`. */
export function startLeaseThread({ entry, heartbeatTimeoutMs, onGone }: LeaseThreadOptions): LeaseRunner {
  const { piscina, worker } = spawnPiscina({ entry, heapMb: HEAP_MB });
  worker.once('error', onGone);
  worker.once('exit', (code) => onGone(new ThreadExit(code)));
  const { tickMs, checkMs } = heartbeatIntervals(heartbeatTimeoutMs);
  const heartbeat = new Heartbeat(systemClock, tickMs);
  let nextCheckMs = systemClock.now() + checkMs;
  // Fails if the thread's code cannot be loaded.
  piscina.run(heartbeat.memory, { name: 'startThread' }).catch(onGone);
  return {
    hold: (task) => piscina.run(task, { name: 'holdLease', transferList: [task.port as never] }),
    request: (request) => piscina.run(request, { name: 'requestLease' }),
    checkHeartbeat: () => {
      if (systemClock.now() < nextCheckMs) return;
      nextCheckMs = systemClock.now() + checkMs;
      if (!heartbeat.check()) onGone(new Error('its event loop was blocked; the thread was ended'));
    },
    end: async () => {
      const destroyed = piscina.destroy();
      void worker.terminate();
      await destroyed;
    },
  };
}

/** Renewals then wait for this thread like everything else: see `EngineOptions.workers`. */
export function runLeasesInline(): LeaseRunner {
  const loaded = import('../../workers/bundle/main.js');
  loaded.catch(() => {});
  return {
    hold: async (task) => (await loaded).holdLease(task),
    request: async (request) => (await loaded).requestLease(request),
    checkHeartbeat: () => {},
    end: async () => (await loaded).closeLeaseConnections(),
  };
}
