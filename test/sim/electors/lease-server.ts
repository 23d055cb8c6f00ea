import type { LeaseResult, LeaseVerb } from '#dist/src/lease/election-types.js';
import type { Lease } from '#dist/src/lease/lease.js';

export function failed(code: number, reason: string): LeaseResult {
  return { type: 'failed', error: { type: 'status', status: { kind: 'Status', code, reason } } };
}

/** One Lease, with the API server's optimistic concurrency. */
export class LeaseServer {
  #lease: Lease | undefined;
  #version = 0;
  #uids = 0;

  get holder(): string {
    return this.#lease?.spec?.holderIdentity ?? '';
  }

  /** Of the Lease that there is. */
  get uid(): string | undefined {
    return this.#lease?.metadata.uid;
  }

  delete(): void {
    this.#lease = undefined;
  }

  apply(verb: LeaseVerb, lease: Lease | undefined): LeaseResult {
    if (verb === 'get') return this.#lease === undefined ? failed(404, 'NotFound') : this.#answer();
    if (lease === undefined) return failed(400, 'BadRequest');
    if (verb === 'create') {
      if (this.#lease !== undefined) return failed(409, 'AlreadyExists');
      this.#store(lease, `uid-${++this.#uids}`);
      return this.#answer();
    }
    const current = this.#lease?.metadata;
    const { uid, resourceVersion } = lease.metadata;
    if (current === undefined) return failed(404, 'NotFound');
    if (resourceVersion !== undefined && resourceVersion !== current.resourceVersion) {
      return failed(409, 'Conflict');
    }
    if (uid !== undefined && uid !== current.uid) return failed(409, 'Conflict');
    this.#store(lease, current.uid ?? '');
    return this.#answer();
  }

  #store(lease: Lease, uid: string): void {
    this.#lease = {
      ...lease,
      metadata: { ...lease.metadata, uid, resourceVersion: String(++this.#version) },
    };
  }

  #answer(): LeaseResult {
    if (this.#lease === undefined) throw new Error('no Lease');
    return { type: 'ok', lease: this.#lease };
  }
}
