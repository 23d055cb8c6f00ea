/** The entry of a worker thread. Its tasks are named in `StreamRequest`; `runStream` also runs inline, without a thread. */
import {
  HEARTBEAT_HELD_KIB,
  HEARTBEAT_TICKS,
  type StreamRequest,
  type ToWorker,
} from '../src/wire/messages.js';
import { StreamEnvironment, StreamSession } from './stream-session.js';

const HEARTBEAT_MS = 100;

const environment: StreamEnvironment = new StreamEnvironment();

let heart: NodeJS.Timeout | undefined;

/** From here on the thread says that it lives, and how much it holds. Resolves after the first beat. */
export async function startThread(heartbeat: Int32Array): Promise<void> {
  const beat = (): void => {
    Atomics.add(heartbeat, HEARTBEAT_TICKS, 1);
    Atomics.store(heartbeat, HEARTBEAT_HELD_KIB, environment.heldBytes >> 10);
  };
  clearInterval(heart);
  heart = setInterval(beat, HEARTBEAT_MS);
  // The heart alone does not keep a thread alive.
  heart.unref();
  beat();
  process.on('uncaughtExceptionMonitor', () => {
    for (const session of environment.sessions) session.sayLastWords();
  });
}

/** Resolves when the stream is over, and has closed its port. */
export async function runStream(
  { task, port, marker }: StreamRequest,
  streams: StreamEnvironment = environment,
): Promise<void> {
  const session = new StreamSession(
    task,
    {
      post: (message, transfer) => port.postMessage(message, transfer),
      onMessage: (handler) => void port.on('message', (message) => handler(message as ToWorker)),
      onClose: (handler) => void port.on('close', handler),
    },
    streams,
    marker,
  );
  try {
    await session.run();
  } finally {
    port.close();
  }
}

/** For whoever runs streams without a thread of their own, which would take its sockets along. */
export function closeIdleConnections(): void {
  environment.connections.close();
}
