import type { ConnectionSettings } from '../../wire/connection-settings.js';
import { checkPair } from '../certificates.js';
import type { Identity } from '../connection-source.js';
import { credentialsFailure } from '../credentials-failure.js';
import type { ExecPlugin } from './exec-plugin.js';

export interface ExecCredential {
  readonly identity: Identity;
  /** Milliseconds since 1970; undefined if it does not expire. */
  readonly expiresAtMs: number | undefined;
}

export type ExecCluster = Pick<ConnectionSettings, 'server' | 'tls' | 'compression' | 'proxyUrl'>;

/** The value of KUBERNETES_EXEC_INFO. */
export function execInfo(
  plugin: ExecPlugin,
  { server, tls = {}, compression, proxyUrl }: ExecCluster,
): string {
  const cluster = {
    server,
    ...(tls.serverName && { 'tls-server-name': tls.serverName }),
    ...(tls.insecureSkipVerify && { 'insecure-skip-tls-verify': true }),
    ...(tls.ca && { 'certificate-authority-data': Buffer.from(tls.ca).toString('base64') }),
    ...(proxyUrl && { 'proxy-url': proxyUrl }),
    'disable-compression': compression !== 'gzip',
  };
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion: plugin.apiVersion,
    spec: { ...(plugin.provideClusterInfo === true && { cluster }), interactive: false },
  });
}

/** Parses a plugin's output. Throws `KUBEFLECT_CREDENTIALS_FAILED`, never quoting it. */
export function parseExecCredential(output: string, { command, apiVersion }: ExecPlugin): ExecCredential {
  const { kind, apiVersion: actualVersion, status } = parseObject(output);
  if (kind !== 'ExecCredential' || actualVersion !== apiVersion) {
    throw failure(command, `did not write an ExecCredential of ${apiVersion}`);
  }
  const {
    token,
    clientCertificateData: cert,
    clientKeyData: key,
    expirationTimestamp,
  } = Object(status) as Record<string, unknown>;
  if (!isNonEmptyString(token) && !isNonEmptyString(cert))
    throw failure(command, 'returned neither a token nor a certificate');
  if (isNonEmptyString(cert) !== isNonEmptyString(key))
    throw failure(command, 'returned a certificate without its key, or a key alone');
  const expiresAtMs = isNonEmptyString(expirationTimestamp) ? Date.parse(expirationTimestamp) : undefined;
  if (Number.isNaN(expiresAtMs)) throw failure(command, 'returned an invalid expirationTimestamp');
  if (isNonEmptyString(cert) && isNonEmptyString(key)) checkPair(cert, key, `the exec plugin ${command}`);
  const identity = {
    ...(isNonEmptyString(token) && { headers: { authorization: `Bearer ${token}` } }),
    ...(isNonEmptyString(cert) && isNonEmptyString(key) && { cert, key }),
  };
  return { identity, expiresAtMs };
}

function parseObject(json: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(json)) as Record<string, unknown>;
  } catch {
    // The error would quote the output.
    return {};
  }
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function failure(command: string, what: string): Error {
  return credentialsFailure(`the exec plugin ${command} ${what}`);
}
