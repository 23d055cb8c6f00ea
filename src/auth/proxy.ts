import { BlockList, isIP, isIPv6 } from 'node:net';
import { credentialsFailure } from './credentials-failure.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Supported in `proxy-url`, HTTPS_PROXY and HTTP_PROXY. */
export const PROXY_SCHEMES: readonly string[] = ['http', 'https', 'socks5', 'socks5h'];

/**
 * The proxy for a server, or undefined. `url` is that of the connection: it overrides the environment, and '' means
 * no proxy.
 */
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

/** By the rules of Go's httpproxy, which kubectl follows: never for localhost. */
function environmentProxy(server: URL, environment: Environment): string | undefined {
  const isTls = server.protocol === 'https:';
  const variable = isTls ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  // Under CGI, HTTP_PROXY is the header `Proxy` of a request.
  const isUntrusted = !isTls && environment['REQUEST_METHOD'] !== undefined;
  const upper = isUntrusted ? undefined : environment[variable];
  const value = upper || environment[variable.toLowerCase()];
  if (!value) return undefined;
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const port = server.port || (isTls ? '443' : '80');
  const noProxy = environment['NO_PROXY'] || environment['no_proxy'] || '';
  if (isLoopback(host) || isExempt(noProxy, host, port)) return undefined;
  const url = value.includes('://') ? value : `http://${value}`;
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

/** Whether NO_PROXY exempts this host, by the rules of Go's httpproxy. `host` without brackets, `port` never empty. */
export function isExempt(noProxy: string, host: string, port: string): boolean {
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && matches(entry, host.toLowerCase(), port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInRange(entry, host);
  const { name, port: wanted } = splitPort(entry);
  if (wanted !== undefined && wanted !== port) return false;
  if (isIP(name) !== 0 || isIP(host) !== 0) return isSameAddress(name, host);
  // `a.b` matches itself and its subdomains, `.a.b` and `*.a.b` only the subdomains.
  const below = name.startsWith('*.') ? name.slice(1) : name;
  if (below.startsWith('.')) return host.endsWith(below);
  return host === below || host.endsWith(`.${below}`);
}

function splitPort(entry: string): { name: string; port?: string } {
  if (isIPv6(entry)) return { name: entry };
  const [, name = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  const bare = name.replace(/^\[|\]$/g, '');
  return port === undefined ? { name: bare } : { name: bare, port };
}

function isInRange(range: string, host: string): boolean {
  const [network = '', bits] = range.split('/');
  if (isIP(network) === 0 || isIP(host) !== isIP(network)) return false;
  const family = familyOf(network);
  const list = new BlockList();
  try {
    list.addSubnet(network, Number(bits), family);
  } catch {
    return false;
  }
  return list.check(host, family);
}

/** Also if they are spelled differently. */
function isSameAddress(a: string, b: string): boolean {
  if (isIP(a) === 0 || isIP(a) !== isIP(b)) return false;
  const list = new BlockList();
  list.addAddress(a, familyOf(a));
  return list.check(b, familyOf(b));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
