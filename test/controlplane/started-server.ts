/** Starts a server program and waits until it is ready. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isPortFree } from './free-port.js';
import { GuardedProcess } from './guarded-process.js';
import type { RunFolder } from './run-folder.js';

/** An API server is ready after 3 to 10 s; the rest is for a busy machine. */
export const START_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 100;
const PORT_ATTEMPTS = 5;
/** How long a restart waits for the port to become free. */
const PORT_RELEASE_TIMEOUT_MS = 20_000;

export interface ServerStart {
  /** Names the log and the file with the process id. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly port: number;
  readonly folder: RunFolder;
  readonly isReady: () => Promise<boolean>;
}

/** Another process took the port after it was chosen. */
class PortInUseError extends Error {
  override name = 'PortInUseError';
}

/** Fails if the server ends or is not ready in time; `previous` is the process that it replaces. */
export async function startServer(
  { name, program, args, port, folder, isReady }: ServerStart,
  previous?: GuardedProcess,
): Promise<GuardedProcess> {
  if (previous?.hasExited === false) throw new Error(`${name} is already running; stop it first`);
  const release = performance.now() + PORT_RELEASE_TIMEOUT_MS;
  while (!(await isPortFree(port))) {
    if (performance.now() > release) throw new PortInUseError(`port ${port} of ${name} is in use`);
    await sleep(POLL_INTERVAL_MS);
  }
  const started = new GuardedProcess({ name, program, args, folder });
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await isReady().catch(() => false))) {
    if (started.hasExited) {
      const tail = started.logTail();
      const message = `${name} ended before it was ready. The end of its log:\n${tail}`;
      throw /address already in use/.test(tail) ? new PortInUseError(message) : new Error(message);
    }
    if (performance.now() > deadline) {
      await started.stop('SIGKILL', 0);
      throw new Error(
        `${name} was not ready after ${START_TIMEOUT_MS} ms. The end of its log:\n${started.logTail()}`,
      );
    }
    await sleep(POLL_INTERVAL_MS);
  }
  return started;
}

/** Repeats a start that chooses its ports, if another process takes one of them first. */
export async function withFreshPorts(
  name: string,
  log: (line: string) => void,
  start: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof PortInUseError) || attempt === PORT_ATTEMPTS) throw error;
      log(`${name} lost its port to another process; trying others`);
    }
  }
}
