/** What the lease thread runs: any number of elections, and single requests. Both also run inline, without a thread. */
import type { LeaseReply, LeaseRequest, LeaseTask } from '../../src/lease/lease-messages.js';
import { LeaseClient } from './lease-client.js';
import { LeaseSession } from './lease-session.js';

const client: LeaseClient = new LeaseClient();

/** Resolves when the election has ended. */
export function holdLease(task: LeaseTask): Promise<void> {
  return new LeaseSession(task, client).run();
}

/** Never rejects. */
export function requestLease({ connection, timeoutMs, ...spec }: LeaseRequest): Promise<LeaseReply> {
  return client.send(spec, { connection, timeoutMs }, new AbortController().signal);
}

/** For elections that run without a thread, whose end would close the sockets. */
export function closeLeaseConnections(): void {
  client.close();
}
