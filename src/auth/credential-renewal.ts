/**
 * When credentials are renewed:
 *
 * - when a file has changed: credential-files.ts looks at its files whenever a stream is opened;
 * - before they expire: `renewalTimeMs`, for exec plugins and auth providers;
 * - after a 401: `CredentialRenewal`, once for all streams.
 */

import type { Clock } from '../util/clock.js';

/** Credentials are renewed this long before they expire: a request may be in flight for a while, and clocks differ. */
const SKEW_MS = 60_000;

/** Credentials with little time left are used until they expire: renewing them earlier would return the same ones. */
export function renewalTimeMs(nowMs: number, expiresAtMs: number): number {
  const early = expiresAtMs - SKEW_MS;
  return early > nowMs ? early : expiresAtMs;
}

/** The `exp` of a JSON web token; undefined for anything else. Nothing is verified: the server does that. */
export function bearerExpiryMs(authorization: unknown): number | undefined {
  const payload = typeof authorization === 'string' ? authorization.split('.')[1] : undefined;
  if (payload === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The minimum interval between renewals whose result the server did not accept: a plugin is not run for every stream of
 * every informer.
 */
const MIN_RENEWAL_INTERVAL_MS = 10_000;

export interface CredentialRenewalOptions<S> {
  readonly clock: Clock;
  /**
   * Reads the credentials. `isUnauthorized`: the server has rejected the current ones. Unchanged credentials are the
   * same object, `current`.
   */
  readonly load: (isUnauthorized: boolean, current: S | undefined) => Promise<S>;
}

/** Reads credentials, one attempt at a time, shared by all streams that wait for it; and renews them after a 401. */
export class CredentialRenewal<S extends object> {
  readonly #options: CredentialRenewalOptions<S>;
  #current: S | undefined;
  #loading: Promise<S> | undefined;
  #renewing: Promise<S> | undefined;
  #nextRenewalAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: CredentialRenewalOptions<S>) {
    this.#options = options;
  }

  /** Rejects with what `load` rejects with. */
  current(): Promise<S> {
    // Credentials that are being renewed were rejected; another stream need not try them.
    if (this.#renewing !== undefined) return this.#renewing;
    this.#loading ??= this.#load(false).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** The server has accepted these credentials. */
  accepted(credentials: S): void {
    if (credentials === this.#current) this.#nextRenewalAtMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * The server responded 401 to these credentials: returns others, renewed by now or already since. Undefined if
   * there are none. Rejects with what `load` rejects with.
   */
  async renewed(rejected: S): Promise<S | undefined> {
    if (this.#current === rejected) {
      if (this.#renewing === undefined && this.#options.clock.now() < this.#nextRenewalAtMs) return undefined;
      this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = undefined;
      });
      await this.#renewing;
    }
    return this.#current === rejected ? undefined : this.#current;
  }

  async #renew(): Promise<S> {
    // It began before the 401, and may return what was rejected.
    await this.#loading?.catch(() => {});
    try {
      return await this.#load(true);
    } finally {
      this.#nextRenewalAtMs = this.#options.clock.now() + MIN_RENEWAL_INTERVAL_MS;
    }
  }

  async #load(isUnauthorized: boolean): Promise<S> {
    const credentials = await this.#options.load(isUnauthorized, this.#current);
    if (credentials !== this.#current) {
      this.#current = credentials;
      this.#nextRenewalAtMs = Number.NEGATIVE_INFINITY;
    }
    return credentials;
  }
}
