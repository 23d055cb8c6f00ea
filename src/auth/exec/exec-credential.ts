import type { ConnectionSettings } from '../../wire/connection-settings.js';
import type { Identity } from '../connection-source.js';
import { credentialsFailure } from '../credentials-failure.js';
import { checkPair } from '../material/certificates.js';
import type { ExecPlugin } from './exec-plugin.js';

export interface ExecCredential {
  readonly identity: Identity;
  /** Milliseconds since 1970; undefined: until the server refuses it. */
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

/** What a plugin wrote. Throws `KUBEFLECT_CREDENTIALS_FAILED`, never quoting it. */
export function parseExecCredential(text: string, { command, apiVersion }: ExecPlugin): ExecCredential {
  const { kind, apiVersion: answered, status } = parseObject(text);
  if (kind !== 'ExecCredential' || answered !== apiVersion) {
    throw failure(command, `did not write an ExecCredential of ${apiVersion}`);
  }
  const {
    token,
    clientCertificateData: cert,
    clientKeyData: key,
    expirationTimestamp,
  } = Object(status) as Record<string, unknown>;
  if (!isText(token) && !isText(cert)) throw failure(command, 'gave neither a token nor a certificate');
  if (isText(cert) !== isText(key))
    throw failure(command, 'gave a certificate without its key, or a key alone');
  const expiresAtMs = isText(expirationTimestamp) ? Date.parse(expirationTimestamp) : undefined;
  if (Number.isNaN(expiresAtMs)) throw failure(command, 'gave an expirationTimestamp that is no time');
  if (isText(cert) && isText(key)) checkPair(cert, key, `the exec plugin ${command}`);
  const identity = {
    ...(isText(token) && { headers: { authorization: `Bearer ${token}` } }),
    ...(isText(cert) && isText(key) && { cert, key }),
  };
  return { identity, expiresAtMs };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    // Its message would quote the text.
    return {};
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function failure(command: string, what: string): Error {
  return credentialsFailure(`the exec plugin ${command} ${what}`);
}
