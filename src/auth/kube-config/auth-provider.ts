import type { Clock, WallTime } from '../../util/clock.js';
import { KubeflectError } from '../../util/errors.js';
import type { HeaderFields } from '../../wire/connection-settings.js';
import type { Identity, IdentityRequest } from '../connection-source.js';
import { credentialsFailure, namesOf } from '../credentials-failure.js';
import { bearerExpiryMs, renewalTimeMs } from '../expiry.js';
import { checkPair } from '../material/certificates.js';
import { withDeadline } from './deadline.js';

/** The part of client-node's KubeConfig that knows OIDC, the old providers of clouds, and whatever `addAuthenticator` was given. */
export interface HttpsOptionsApplier {
  applyToHTTPSOptions(options: object): Promise<void>;
}

/** An identity that does not say how long it holds is asked for again after this, as client-node reads a token file again. */
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
 * The identity that client-node's own objects make. Kept until shortly before its token expires, since client-node's OIDC goes to
 * the issuer for every request once it has refreshed a token.
 */
export class AuthProvider {
  readonly #options: AuthProviderOptions;
  #kept: { readonly user: object; readonly identity: Identity; readonly renewAtMs: number } | undefined;

  constructor(options: AuthProviderOptions) {
    this.#options = options;
  }

  /** True if somebody has added an authenticator that takes this user. */
  isForUser(user: object): boolean {
    const { custom_authenticators: added } = this.#options.kubeConfig as { custom_authenticators?: unknown };
    if (!Array.isArray(added)) return false;
    return added.some((one: { isAuthProvider?(user: object): unknown }) =>
      Boolean(one.isAuthProvider?.(user)),
    );
  }

  /** `user` is the current user of the KubeConfig. */
  async identity(user: object, { isRefused }: IdentityRequest): Promise<Identity> {
    const { wallTime } = this.#options;
    const kept = this.#kept;
    if (kept?.user === user && !isRefused && wallTime() < kept.renewAtMs) return kept.identity;
    const identity = await this.#ask();
    const expiresAtMs = bearerExpiryMs(identity.headers?.['authorization']);
    const renewAtMs =
      expiresAtMs === undefined ? wallTime() + UNKNOWN_LIFETIME_MS : renewalTimeMs(wallTime(), expiresAtMs);
    this.#kept = { user, identity, renewAtMs };
    return identity;
  }

  async #ask(): Promise<Identity> {
    const { kubeConfig, clock } = this.#options;
    if (kubeConfig.applyToHTTPSOptions === undefined) {
      throw credentialsFailure(
        'the user has an auth provider, and the kubeConfig has no applyToHTTPSOptions to ask',
      );
    }
    const options: AppliedOptions = { headers: {} };
    try {
      await withDeadline(kubeConfig.applyToHTTPSOptions(options), TIMEOUT_MS, clock, 'the auth provider');
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

/** Those of the user, or what the authenticator has put in their place. */
function pairOf({ cert, key }: AppliedOptions): Pick<Identity, 'cert' | 'key'> {
  if (!cert || !key) return {};
  const pair = { cert: String(cert), key: String(key) };
  checkPair(pair.cert, pair.key, 'the auth provider');
  return pair;
}
