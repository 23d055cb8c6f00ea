import { describe, expect, it } from 'vitest';
import { Election } from '#dist/src/lease/election.js';
import type { ElectionEffect, ElectionInput, LeaseResult } from '#dist/src/lease/election-types.js';
import type { Lease } from '#dist/src/lease/lease.js';

const OPTIONS = {
  namespace: 'default',
  name: 'lease',
  identity: 'standby',
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2000,
};

const NOT_FOUND: LeaseResult = {
  type: 'failed',
  error: { type: 'status', status: { kind: 'Status', code: 404, reason: 'NotFound' } },
};

function metadataOf(uid: string, resourceVersion: string): Pick<Lease, 'metadata'> {
  return { metadata: { namespace: 'default', name: 'lease', uid, resourceVersion } };
}

function leaseOf(holderIdentity: string): Extract<LeaseResult, { type: 'ok' }> {
  const lease: Lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    ...metadataOf('uid-1', '7'),
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
  };
  return { type: 'ok', lease };
}

/** An election in virtual time, whose requests are answered at once. */
class Candidate {
  nowMs = 0;
  /** What it has written last. */
  written: Lease | undefined;
  readonly #election = new Election(OPTIONS, () => 0.5);

  /** The verbs of the requests until `ms`, each answered by `answer`. */
  runUntil(ms: number, answer: LeaseResult): string[] {
    const verbs: string[] = [];
    let inputs: ElectionInput[] = [{ type: 'tick' }];
    while (this.nowMs <= ms) {
      const effects: ElectionEffect[] = inputs.flatMap((input) =>
        this.#election.step(input, {
          nowMs: this.nowMs,
          wallMs: 1_700_000_000_000 + this.nowMs,
          ownerSeenMs: this.nowMs,
        }),
      );
      inputs = [];
      for (const effect of effects) {
        if (effect.type !== 'request') continue;
        verbs.push(effect.verb);
        if (effect.verb !== 'get') {
          this.written = effect.lease;
          return verbs;
        }
        inputs.push({ type: 'response', id: effect.id, result: answer });
      }
      if (inputs.length > 0) continue;
      this.nowMs = Math.max(this.nowMs + 1, this.#election.wakeAtMs);
      inputs = [{ type: 'tick' }];
    }
    return verbs;
  }
}

describe('a candidate', () => {
  it('creates a Lease that it has never seen at once', () => {
    expect(new Candidate().runUntil(0, NOT_FOUND)).toEqual(['get', 'create']);
  });

  it('that finds the Lease of a leader deleted waits for the lease duration: the leader may not know yet', () => {
    const candidate = new Candidate();
    candidate.runUntil(5000, leaseOf('leader'));
    const missingSinceMs = candidate.nowMs;
    expect(candidate.runUntil(missingSinceMs + 14_999, NOT_FOUND)).not.toContain('create');
    expect(candidate.runUntil(missingSinceMs + 16_000, NOT_FOUND)).toContain('create');
  });

  it('waits as long if its own create, sent long before, has put another Lease in the place of the deleted one', () => {
    const candidate = new Candidate();
    candidate.runUntil(0, NOT_FOUND);
    candidate.runUntil(20_000, leaseOf('leader'));
    const { spec = {} } = candidate.written ?? {};
    const own: LeaseResult = {
      type: 'ok',
      lease: { ...leaseOf('').lease, spec, ...metadataOf('uid-2', '9') },
    };
    const seenAtMs = candidate.nowMs;
    expect(candidate.runUntil(seenAtMs + 14_000, own)).not.toContain('update');
    expect(candidate.runUntil(seenAtMs + 18_000, own)).toContain('update');
  });

  it('that finds the Lease of a leader deleted after a long time without a response waits as long', () => {
    const candidate = new Candidate();
    candidate.runUntil(0, leaseOf('leader'));
    candidate.nowMs = 60_000;
    expect(candidate.runUntil(60_000 + 14_999, NOT_FOUND)).not.toContain('create');
    expect(candidate.runUntil(60_000 + 16_000, NOT_FOUND)).toContain('create');
  });
});
