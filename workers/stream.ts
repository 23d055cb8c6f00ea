/** Placeholder until the branch of the workers is merged. */
import type { StreamRequest } from '../src/wire/messages.js';

export async function startThread(heartbeat: Int32Array): Promise<void> {
  void heartbeat;
}

export async function runStream(request: StreamRequest): Promise<void> {
  void request;
  throw new Error('not yet');
}
