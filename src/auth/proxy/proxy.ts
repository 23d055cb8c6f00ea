import { BlockList, isIP, isIPv6 } from 'node:net';
import { credentialsFailure } from '../credentials-failure.js';
import { isExempt } from './no-proxy.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What may stand in `proxy-url`, HTTPS_PROXY and HTTP_PROXY. */
export const PROXY_SCHEMES: readonly string[] = ['http', 'https', 'socks5', 'socks5h'];

/** `url` is that of the connection: it wins over the environment, and an empty one means no proxy at all. Undefined for none. */
export function proxyOf(
  server: string,
  url: string | undefined,
  environment: Environment,
): string | undefined {
  if (url !== undefined) return url === '' ? undefined : url;
  return environmentProxy(new URL(server), environment);
}

export function isProxyUrl(url: string): boolean {
  try {
    const { protocol, hostname } = new URL(url);
    return PROXY_SCHEMES.includes(protocol.slice(0, -1)) && hostname !== '';
  } catch {
    return false;
  }
}

/** By the rules that Go's programs follow, kubectl among them: never for this machine itself. */
function environmentProxy(server: URL, environment: Environment): string | undefined {
  const isTls = server.protocol === 'https:';
  const variable = isTls ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  // Under CGI, a request's header `Proxy` becomes HTTP_PROXY.
  const isUntrusted = !isTls && environment['REQUEST_METHOD'] !== undefined;
  const upper = isUntrusted ? undefined : environment[variable];
  const given = upper || environment[variable.toLowerCase()];
  if (!given) return undefined;
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const port = server.port || (isTls ? '443' : '80');
  const noProxy = environment['NO_PROXY'] || environment['no_proxy'] || '';
  if (isLoopback(host) || isExempt(noProxy, host, port)) return undefined;
  const url = given.includes('://') ? given : `http://${given}`;
  if (isProxyUrl(url)) return url;
  throw credentialsFailure(`${variable} must be a URL with one of the schemes ${PROXY_SCHEMES.join(', ')}`);
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host === 'localhost';
  return LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}
