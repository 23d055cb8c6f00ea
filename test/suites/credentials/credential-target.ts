import type { IssuedCertificate } from '#dist/apiserver/certificate.js';
import type { ApiClient } from '../../conformance/harness/client.js';

/** A TLS server that authenticates users by tokens and certificates, and authorizes their requests. */
export interface CredentialTarget {
  /** `https://127.0.0.1:port` */
  readonly server: string;
  readonly ca: string;
  /** A client with the permissions of a cluster admin. */
  readonly api: ApiClient;
  /** A new token of the user, valid until it is revoked. */
  issueToken(user: string): Promise<string>;
  /** Resolves when the server rejects the token. */
  revokeToken(token: string): Promise<void>;
  issueCertificate(user: string): IssuedCertificate;
  /** Grants the user list and watch of everything. This and the next method resolve when they have taken effect. */
  grant(user: string): Promise<void>;
  withdraw(user: string): Promise<void>;
  close(): Promise<void>;
}
