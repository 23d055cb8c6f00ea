import type { HeldLease } from '../leader-election/held-lease.js';
import type { LeaseService } from '../leader-election/lease-service.js';
import type { LeaseVerb } from '../lease/election-types.js';
import { errorFromWire } from '../pool/error-from-wire.js';
import { processTime } from '../util/clock.js';
import type { KubeflectError } from '../util/errors.js';
import type { RingMembership } from './ring-driver.js';
import { memberAnnotations, memberLabels, type RingName } from './ring-lease.js';

export interface LeaseMembershipOptions {
  readonly leases: LeaseService;
  readonly ring: RingName;
  readonly id: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly renewPeriodMs: number;
  readonly onChange: () => void;
  readonly onFailed: (verb: LeaseVerb, error: KubeflectError) => void;
}

/** A member's Lease, held and renewed on the thread of Leases. Only its first term counts: see `RingMember`. */
export class LeaseMembership implements RingMembership {
  readonly #held: HeldLease;
  #sinceMs: number | undefined;
  #terms = 0;

  constructor(options: LeaseMembershipOptions) {
    const { leases, ring, id, leaseDurationMs, renewDeadlineMs, renewPeriodMs, onChange, onFailed } = options;
    this.#held = leases.hold(
      {
        namespace: ring.namespace,
        name: id,
        identity: id,
        leaseDurationMs,
        renewDeadlineMs,
        retryPeriodMs: renewPeriodMs,
        isMembership: true,
        labels: memberLabels(ring),
        annotations: memberAnnotations([], false),
      },
      {
        onTerm: () => {
          this.#terms++;
          this.#sinceMs ??= processTime();
          onChange();
        },
        onTermEnd: onChange,
        onHolder: () => {},
        onFailed: (verb, error) => onFailed(verb, errorFromWire(error)),
        onAccepted: () => {},
        onEnded: onChange,
        onWork: () => () => {},
      },
    );
  }

  get sinceMs(): number | undefined {
    return this.#terms === 1 && this.#held.term !== undefined ? this.#sinceMs : undefined;
  }

  get isOver(): boolean {
    return this.#held.isEnded || (this.#terms > 0 && this.sinceMs === undefined);
  }

  announce(prepared: readonly number[], isLeaving: boolean): void {
    this.#held.annotate(memberAnnotations(prepared, isLeaving));
  }

  release(): void {
    if (!this.#held.isEnded) void this.#held.release();
  }

  /** Leaves the Lease to expire: what is running may still act until then. */
  expire(): void {
    this.#held.abandon();
  }

  /** Resolves when the Lease was given back, or could not be. */
  async ended(): Promise<void> {
    if (!this.#held.isEnded) await this.#held.release();
  }
}
