import { KubeflectError } from '../../index.js';
import { type ApiResponse, ApiResponseError, UnreachableError } from '../api/api-client.js';
import { KubeConfigError } from '../kube-config/load-kube-config.js';

/** `warn`: an informer works, but not as well as it could. `unknown`: the check had no result. */
export type Verdict = 'ok' | 'warn' | 'fail' | 'unknown';

/** The result of one check. */
export interface Finding {
  /** What was checked. */
  readonly check: string;
  readonly verdict: Verdict;
  /** An identifier for scripts: `unreachable`, `wrong-ca`, `expired-token`, `unauthorized`, `no-permission`, … */
  readonly fault?: string;
  readonly detail: string;
  /** What to change. */
  readonly advice?: string;
}

const UNKNOWN_CA_CODES: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
]);

/** The finding that an error amounts to: it makes all further checks pointless. Undefined for unexpected errors. */
export function classifyError(error: unknown): Finding | undefined {
  if (error instanceof KubeConfigError) {
    return { check: 'kubeconfig', verdict: 'fail', fault: 'kubeconfig', detail: error.message };
  }
  if (error instanceof UnreachableError) return classifyUnreachable(error);
  if (error instanceof ApiResponseError && error.response.code === 401) return classify401(error.response);
  if (error instanceof KubeflectError) {
    return {
      check: 'credentials',
      verdict: 'fail',
      fault: 'credentials',
      detail: error.message,
      advice: 'docs/credentials.md lists what a kubeconfig can contain',
    };
  }
  return undefined;
}

function classifyUnreachable({ code, message }: UnreachableError): Finding {
  if (UNKNOWN_CA_CODES.has(code)) {
    return {
      check: 'certificate',
      verdict: 'fail',
      fault: 'wrong-ca',
      detail: `the server's certificate is signed by an authority that the kubeconfig does not name (${code})`,
      advice: 'set certificate-authority or certificate-authority-data of the cluster to the right authority',
    };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return {
      check: 'certificate',
      verdict: 'fail',
      fault: 'wrong-name',
      detail: `the server's certificate is for another name (${message})`,
      advice: 'use a name of the certificate as the server, or set tls-server-name',
    };
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return {
      check: 'certificate',
      verdict: 'fail',
      fault: 'expired-certificate',
      detail: `the server's certificate is not valid now (${code})`,
      advice: "renew the server's certificate, and check the clocks",
    };
  }
  return {
    check: 'server',
    verdict: 'fail',
    fault: 'unreachable',
    detail: `no response: ${message} (${code})`,
    advice:
      'check that it runs, the server of the cluster in the kubeconfig, and proxies (HTTPS_PROXY, NO_PROXY, proxy-url)',
  };
}

function classify401({ authorization }: ApiResponse): Finding {
  const expiredAtMs = tokenExpiryMs(authorization);
  if (expiredAtMs !== undefined && expiredAtMs < Date.now()) {
    return {
      check: 'credentials',
      verdict: 'fail',
      fault: 'expired-token',
      detail: `the token expired at ${new Date(expiredAtMs).toISOString()}`,
      advice: 'log in again, or use an exec plugin or a token file, which are renewed',
    };
  }
  const reason =
    authorization === ''
      ? 'no token was sent, and no client certificate was accepted'
      : 'the server rejected the credentials';
  return {
    check: 'credentials',
    verdict: 'fail',
    fault: 'unauthorized',
    detail: `401: ${reason}`,
    advice: 'log in again, or check the user of the context: token, tokenFile, exec, client-certificate',
  };
}

/** The `exp` claim, if the token is a JWT. */
function tokenExpiryMs(authorization: string): number | undefined {
  const [, payload] = /^Bearer [^.]+\.([^.]+)\./.exec(authorization) ?? [];
  if (payload === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
