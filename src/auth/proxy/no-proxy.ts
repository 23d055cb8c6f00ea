import { BlockList, isIP, isIPv6 } from 'node:net';

/** Whether a list as in NO_PROXY names this host, by the rules of Go's httpproxy, which kubectl follows. `host` without brackets, `port` never empty. */
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
  // `a.b` stands for itself and all below it, `.a.b` and `*.a.b` only for what is below.
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

/** However they are written. */
function isSameAddress(a: string, b: string): boolean {
  if (isIP(a) === 0 || isIP(a) !== isIP(b)) return false;
  const list = new BlockList();
  list.addAddress(a, familyOf(a));
  return list.check(b, familyOf(b));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
