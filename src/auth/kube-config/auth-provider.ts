import type { Clock, WallTime } from '../../util/clock.js';
import { KubeflectError } from '../../util/errors.js';
import type { HeaderFields } from '../../wire/connection-settings.js';
import { checkPair } from '../certificates.js';
import type { Identity, IdentityRequest } from '../connection-source.js';
import { bearerExpiryMs, renewalTimeMs } from '../credential-renewal.js';
import { credentialsFailure, namesOf } from '../credentials-failure.js';

/**
 * The part of client-node's KubeConfig that handles OIDC, the old cloud providers, and authenticators of
 * `addAuthenticator`.
 */
export interface HttpsOptionsApplier {
  applyToHTTPSOptions(options: object): Promise<void>;
}

/** An identity without an expiry is renewed after this time, as client-node reads a token file again. */
const UNKNOWN_LIFETIME_MS = 60_000;
const TIMEOUT_MS = 60_000;

interface AppliedOptions {
  readonly headers: Record<string, unknown>;
  readonly cert?: unknown;
  readonly key?: unknown;
}

export interface AuthProviderOptions {
  readonly kubeConfig: Partial<HttpsOptionsApplier>;
  readonly clock: Clock;
  readonly wallTime: WallTime;
}

/**
 * The identity that client-node's authenticators return, cached until shortly before its token expires: after the first
 * refresh, client-node's OIDC asks the issuer for every request.
 */
export class AuthProvider {
  readonly #options: AuthProviderOptions;
  #cached: { readonly user: object; readonly identity: Identity; readonly renewAtMs: number } | undefined;

  constructor(options: AuthProviderOptions) {
    this.#options = options;
  }

  /** True if an added authenticator handles this user. */
  isForUser(user: object): boolean {
    const { custom_authenticators: added } = this.#options.kubeConfig as { custom_authenticators?: unknown };
    if (!Array.isArray(added)) return false;
    return added.some((one: { isAuthProvider?(user: object): unknown }) =>
      Boolean(one.isAuthProvider?.(user)),
    );
  }

  /** `user` is the current user of the KubeConfig. */
  async identity(user: object, { isUnauthorized }: IdentityRequest): Promise<Identity> {
    const { wallTime } = this.#options;
    const cached = this.#cached;
    if (cached?.user === user && !isUnauthorized && wallTime() < cached.renewAtMs) return cached.identity;
    const identity = await this.#request();
    const expiresAtMs = bearerExpiryMs(identity.headers?.['authorization']);
    const renewAtMs =
      expiresAtMs === undefined ? wallTime() + UNKNOWN_LIFETIME_MS : renewalTimeMs(wallTime(), expiresAtMs);
    this.#cached = { user, identity, renewAtMs };
    return identity;
  }

  async #request(): Promise<Identity> {
    const { kubeConfig, clock } = this.#options;
    if (kubeConfig.applyToHTTPSOptions === undefined) {
      throw credentialsFailure(
        'the user has an auth provider, but the kubeConfig has no applyToHTTPSOptions to call',
      );
    }
    const options: AppliedOptions = { headers: {} };
    try {
      await withTimeout(kubeConfig.applyToHTTPSOptions(options), TIMEOUT_MS, clock, 'the auth provider');
    } catch (error) {
      if (error instanceof KubeflectError) throw error;
      throw credentialsFailure(`the auth provider of the kubeConfig failed: ${namesOf(error)}`);
    }
    return { headers: headersOf(options), ...pairOf(options) };
  }
}

function headersOf({ headers }: AppliedOptions): HeaderFields {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') fields[name.toLowerCase()] = value;
  }
  return fields;
}

/** Certificate and key of the user, or those that the authenticator has set instead. */
function pairOf({ cert, key }: AppliedOptions): Pick<Identity, 'cert' | 'key'> {
  if (!cert || !key) return {};
  const pair = { cert: String(cert), key: String(key) };
  checkPair(pair.cert, pair.key, 'the auth provider');
  return pair;
}

/** Rejects with `KUBEFLECT_CREDENTIALS_FAILED` after the time limit. */
function withTimeout<T>(work: Promise<T>, timeoutMs: number, clock: Clock, who: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.schedule(
      () => reject(credentialsFailure(`${who} has not responded within ${timeoutMs} ms`)),
      timeoutMs,
    );
    void work.then(resolve, reject).finally(() => timer.cancel());
  });
}
