import type { Lease } from './lease.js';

/** The Lease as it was last seen, and since when it has not changed. */
export class ObservedLease {
  readonly #defaultDurationMs: number;
  #lease: Lease | undefined;
  #seenAtMs = 0;
  #creatableAtMs = Number.NEGATIVE_INFINITY;

  constructor(defaultDurationMs: number) {
    this.#defaultDurationMs = defaultDurationMs;
  }

  get lease(): Lease | undefined {
    return this.#lease;
  }

  get holder(): string {
    return this.#lease?.spec?.holderIdentity ?? '';
  }

  get transitions(): number {
    return this.#lease?.spec?.leaseTransitions ?? 0;
  }

  /** When its holder may be replaced: by the holder's own duration, counted from when we saw its last change. */
  get expiresAtMs(): number {
    return this.#seenAtMs + this.#durationMs;
  }

  /** When a Lease that is missing may be created, or one may be held that a late create of ours has put in its place. */
  get creatableAtMs(): number {
    return this.#creatableAtMs;
  }

  /** Any write is a change, also one after which the record is the same. */
  see(lease: Lease, nowMs: number): void {
    const known = this.#lease?.metadata;
    const { uid, resourceVersion } = lease.metadata;
    if (known !== undefined && known.uid !== uid) this.missing(nowMs);
    if (known?.uid !== uid || known?.resourceVersion !== resourceVersion) this.#seenAtMs = nowMs;
    this.#lease = lease;
  }

  /** It is gone, and its last holder may not have found out: its term is waited for. */
  missing(nowMs: number): void {
    if (this.#lease !== undefined) this.#creatableAtMs = nowMs + this.#durationMs;
    this.#lease = undefined;
  }

  /** It is gone, and no other candidate can have held it. */
  forget(): void {
    this.#lease = undefined;
    this.#creatableAtMs = Number.NEGATIVE_INFINITY;
  }

  get #durationMs(): number {
    const seconds = this.#lease?.spec?.leaseDurationSeconds;
    return seconds === undefined ? this.#defaultDurationMs : seconds * 1000;
  }
}
