import type { Lease } from './lease.js';

/** The Lease as it was last seen, and since when it has not changed. */
export class ObservedLease {
  readonly #defaultDurationMs: number;
  #lease: Lease | undefined;
  #seenAtMs = 0;

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
    const seconds = this.#lease?.spec?.leaseDurationSeconds;
    return this.#seenAtMs + (seconds === undefined ? this.#defaultDurationMs : seconds * 1000);
  }

  /** Any write is a change, also one after which the record is the same. */
  see(lease: Lease, nowMs: number): void {
    const known = this.#lease?.metadata;
    const { uid, resourceVersion } = lease.metadata;
    if (known?.uid !== uid || known?.resourceVersion !== resourceVersion) this.#seenAtMs = nowMs;
    this.#lease = lease;
  }

  forget(): void {
    this.#lease = undefined;
  }
}
