import { KubeflectError } from '../../index.js';
import { type ApiAnswer, RefusedError, UnreachableError } from '../api/api-client.js';
import { Fatal } from './finding.js';

const UNKNOWN_CA: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
]);

/** What a failed request says about the way to the server, as a finding that ends the diagnosis; other errors as they are. */
export function faultOf(error: unknown): unknown {
  if (error instanceof UnreachableError) return unreachable(error);
  if (error instanceof RefusedError && error.answer.code === 401) return unauthorized(error.answer);
  if (error instanceof KubeflectError) {
    return new Fatal({
      check: 'credentials',
      fault: 'credentials',
      detail: error.message,
      advice: 'see docs/credentials.md for what a kubeconfig can have',
    });
  }
  return error;
}

function unreachable({ code, message }: UnreachableError): Fatal {
  if (UNKNOWN_CA.has(code)) {
    return new Fatal({
      check: 'certificate',
      fault: 'wrong-ca',
      detail: `the certificate of the server is signed by an authority that the kubeconfig does not name (${code})`,
      advice:
        'put the right authority into certificate-authority or certificate-authority-data of the cluster',
    });
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new Fatal({
      check: 'certificate',
      fault: 'wrong-name',
      detail: `the certificate of the server is for another name (${message})`,
      advice: 'use a name that the certificate has as the server, or set tls-server-name',
    });
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return new Fatal({
      check: 'certificate',
      fault: 'expired-certificate',
      detail: `the certificate of the server is not valid now (${code})`,
      advice: 'renew the certificate of the server, and look at the clocks',
    });
  }
  return new Fatal({
    check: 'server',
    fault: 'unreachable',
    detail: `there is no answer: ${message} (${code})`,
    advice:
      'look at the server of the cluster in the kubeconfig, at proxies (HTTPS_PROXY, NO_PROXY, proxy-url), and whether it runs',
  });
}

function unauthorized({ authorization }: ApiAnswer): Fatal {
  const expiredAt = expiryOf(authorization);
  if (expiredAt !== undefined && expiredAt < Date.now()) {
    return new Fatal({
      check: 'credentials',
      fault: 'expired-token',
      detail: `the token expired at ${new Date(expiredAt).toISOString()}`,
      advice: 'log in again, or use an exec plugin or a token file, which are read again',
    });
  }
  const what =
    authorization === ''
      ? 'no token was sent, and no certificate was taken'
      : 'the server does not take the credentials';
  return new Fatal({
    check: 'credentials',
    fault: 'unauthorized',
    detail: `401: ${what}`,
    advice: 'log in again, or look at the user of the context: token, tokenFile, exec, client-certificate',
  });
}

/** When a token says that it expires: the `exp` of a JWT. */
export function expiryOf(authorization: string): number | undefined {
  const [, payload] = /^Bearer [^.]+\.([^.]+)\./.exec(authorization) ?? [];
  if (payload === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
