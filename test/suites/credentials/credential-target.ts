import type { IssuedCertificate } from '#dist/apiserver/certificate.js';
import type { ApiClient } from '../../conformance/harness/client.js';

/** A server with TLS that knows users by their tokens and certificates, and what they may. */
export interface CredentialTarget {
  /** `https://127.0.0.1:port` */
  readonly server: string;
  readonly ca: string;
  /** Of somebody who may do everything. */
  readonly api: ApiClient;
  /** One more token of this user, good until it is revoked. */
  issueToken(user: string): Promise<string>;
  /** Resolves when the server refuses it. */
  revokeToken(token: string): Promise<void>;
  issueCertificate(user: string): IssuedCertificate;
  /** The user may list and watch everything. This and the next resolve when they have taken effect. */
  grant(user: string): Promise<void>;
  withdraw(user: string): Promise<void>;
  close(): Promise<void>;
}
