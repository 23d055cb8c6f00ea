/** The entry of a worker thread. `runStream` also runs inline, without a thread. */
import type { StreamRequest, ToWorker } from '../src/wire/messages.js';
import { startHeartbeat } from './heartbeat.js';
import { StreamEnvironment, StreamSession } from './stream-session.js';
import { flushBeforeExit } from './worker-exit.js';

export { closeLeaseConnections, holdLease, requestLease } from './lease/lease-thread.js';

const threadEnvironment: StreamEnvironment = new StreamEnvironment();

/** Resolves after the first tick of the heartbeat. */
export async function startThread(heartbeat: Int32Array): Promise<void> {
  startHeartbeat(heartbeat, () => threadEnvironment.heldBytes);
  flushBeforeExit(threadEnvironment.sessions);
}

/** Resolves when the stream has ended and its port is closed. */
export async function runStream(
  { task, port, marker }: StreamRequest,
  environment: StreamEnvironment = threadEnvironment,
): Promise<void> {
  const session = new StreamSession(
    task,
    {
      post: (message, transfer) => port.postMessage(message, transfer),
      onMessage: (handler) => void port.on('message', (message) => handler(message as ToWorker)),
      onClose: (handler) => void port.on('close', handler),
    },
    environment,
    marker,
  );
  try {
    await session.run();
  } finally {
    port.close();
  }
}

/** For streams that run without a thread, whose end would close the sockets. */
export function closeIdleConnections(): void {
  threadEnvironment.httpClient.close();
}
