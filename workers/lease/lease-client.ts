import { asLease, LEASE_METHODS, type Lease, type LeaseName, leasePath } from '../../src/lease/lease.js';
import type { LeaseReply, LeaseRequest } from '../../src/lease/lease-messages.js';
import type { ConnectionSettings } from '../../src/wire/connection-settings.js';
import type { WireError } from '../../src/wire/messages.js';
import { AgentPool } from '../connection/agent-pool.js';
import { requestJson } from '../connection/json-request.js';
import { protocolFailure, StreamFailure } from '../stream-failure.js';

type Send = Omit<LeaseRequest, 'timeoutMs' | 'connection'>;

/** Reads and writes Leases. Every update and every delete is sent as given: the version that it replaces is in it. */
export class LeaseClient {
  readonly #agents: AgentPool;

  constructor(agents: AgentPool = new AgentPool()) {
    this.#agents = agents;
  }

  /** Never rejects. Nothing is retried. */
  async send(
    { verb, namespace, name, lease, preconditions }: Send,
    { connection, timeoutMs }: { readonly connection: ConnectionSettings; readonly timeoutMs: number },
    signal: AbortSignal,
  ): Promise<LeaseReply> {
    const body = verb === 'delete' ? deleteOptions(preconditions) : lease;
    const path = leasePath(namespace, verb === 'create' ? undefined : name);
    let code: number | undefined;
    const onResponse = (status: number): void => {
      code = status;
    };
    const request = {
      connection,
      method: LEASE_METHODS[verb],
      path,
      timeoutMs,
      onResponse,
      ...(body && { body }),
    };
    try {
      const value = await requestJson(request, this.#agents, signal);
      if (verb === 'delete') return { type: 'ok', code, lease: undefined };
      return { type: 'ok', code, lease: checked(value, { namespace, name }) };
    } catch (error) {
      return { type: 'failed', code, error: wireErrorOf(error) };
    }
  }

  /** Closes the idle sockets. */
  close(): void {
    this.#agents.close();
  }
}

function deleteOptions(preconditions: LeaseRequest['preconditions']): object {
  return { apiVersion: 'v1', kind: 'DeleteOptions', ...(preconditions && { preconditions }) };
}

function checked(value: unknown, { namespace, name }: LeaseName): Lease {
  const lease = asLease(value);
  if (lease?.metadata.name === name && lease.metadata.namespace === namespace) return lease;
  throw protocolFailure('the response is not the Lease that was asked for');
}

function wireErrorOf(error: unknown): WireError {
  if (error instanceof StreamFailure) return error.wire;
  return { type: 'protocol', message: error instanceof Error ? error.message : 'the request failed' };
}
