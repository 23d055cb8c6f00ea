import { invalidOption } from '../util/check-options.js';
import type { ConnectionSource, IdentitySource, TlsSource } from './connection-source.js';
import { checkExecPlugin, type ExecPolicy } from './exec/exec-plugin.js';
import { isProxyUrl, PROXY_SCHEMES } from './proxy/proxy.js';

const SOURCE_NAMES: Readonly<Record<keyof IdentitySource, true>> = {
  server: true,
  tls: true,
  headers: true,
  tokenFile: true,
  exec: true,
  proxyUrl: true,
  compression: true,
  identity: true,
};

const TLS_NAMES: Readonly<Record<keyof TlsSource, true>> = {
  ca: true,
  caFile: true,
  cert: true,
  certFile: true,
  key: true,
  keyFile: true,
  serverName: true,
  insecureSkipVerify: true,
};

/** Throws `KUBEFLECT_OPTION_INVALID` for what can never work, without quoting anything; otherwise gives it back. */
export function checkSource<S extends ConnectionSource>(source: S, policy: ExecPolicy): S {
  const { server, tls = {}, proxyUrl, headers, tokenFile, exec } = source;
  checkNames('the connection', source, SOURCE_NAMES);
  checkNames('tls', tls, TLS_NAMES);
  if (!isServer(server)) {
    throw invalid('the server of the connection must be an http or https URL, without user and password');
  }
  if (
    tls.insecureSkipVerify === true &&
    server.startsWith('https:') &&
    (tls.ca ?? tls.caFile) !== undefined
  ) {
    throw invalid('a certificate authority and insecureSkipVerify exclude each other: verify, or do not');
  }
  if (
    headers !== undefined &&
    typeof headers !== 'function' &&
    (typeof headers !== 'object' || headers === null)
  ) {
    throw invalid('headers must be an object of names and values, or a function that returns one');
  }
  if (proxyUrl !== undefined && proxyUrl !== '' && !isProxyUrl(proxyUrl)) {
    throw invalid(`the proxy must be a URL with one of the schemes ${PROXY_SCHEMES.join(', ')}`);
  }
  if (exec !== undefined) {
    if (tokenFile !== undefined) throw invalid('only one of tokenFile and exec can be given');
    checkExecPlugin(exec, policy);
  }
  return source;
}

/** A credential under a name that nobody reads is not sent, and nobody would say so. */
function checkNames(owner: string, given: object, names: Readonly<Record<string, true>>): void {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(names, name)) {
      throw invalid(`${owner} has no option ${name}; known are ${Object.keys(names).join(', ')}`);
    }
  }
}

function invalid(message: string): Error {
  return invalidOption('Engine', message);
}

function isServer(server: unknown): boolean {
  try {
    const { protocol, username, password } = new URL(server as string);
    return /^https?:$/.test(protocol) && username === '' && password === '';
  } catch {
    return false;
  }
}
