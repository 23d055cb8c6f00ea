import { isIPv4, isIPv6, type Socket } from 'node:net';
import { HandshakeReader, type ProxyLogin, proxyFailure, type TunnelTarget } from './proxy-handshake.js';

const VERSION = 5;
const NO_LOGIN = 0;
const USER_AND_PASSWORD = 2;
const LOGIN_VERSION = 1;
const CONNECT = 1;
const ADDRESS = { ipv4: 1, name: 3, ipv6: 4 } as const;

/** What the reply codes from 1 on mean (RFC 1928 §6). */
const REPLIES: readonly string[] = [
  'failed',
  'does not allow this connection',
  'reports that the network is unreachable',
  'reports that the host is unreachable',
  'reports that the server refused the connection',
  'reports that the server did not answer in time',
  'does not support CONNECT',
  'does not support this type of address',
];

/**
 * SOCKS 5 (RFC 1928, login by RFC 1929). Names are resolved by the proxy.
 *
 *     client                                       proxy
 *     5, count, methods ─────────────────────────▶
 *                       ◀───────────────────────── 5, method
 *     1, length, user, length, password ─────────▶             if the method is 2
 *                       ◀───────────────────────── 1, 0
 *     5, 1, 0, type, address, port ──────────────▶
 *                       ◀───────────────────────── 5, 0, 0, type, address, port
 */
export async function socks5Connect(
  socket: Socket,
  target: TunnelTarget,
  login: ProxyLogin | undefined,
): Promise<void> {
  const reader = new HandshakeReader(socket);
  const methods = login === undefined ? [NO_LOGIN] : [NO_LOGIN, USER_AND_PASSWORD];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await reader.read(2);
  if (version !== VERSION) throw proxyFailure('does not speak SOCKS 5');
  if (method === USER_AND_PASSWORD && login !== undefined) await logIn(socket, reader, login);
  else if (method !== NO_LOGIN) throw proxyFailure('requires a user and a password');
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressBytes(target)]));
  const [, reply = 1, , type = 0] = await reader.read(4);
  if (reply !== 0) throw proxyFailure(REPLIES[reply - 1] ?? `answered ${reply}`);
  await skipAddress(reader, type);
}

async function logIn(socket: Socket, reader: HandshakeReader, { user, password }: ProxyLogin): Promise<void> {
  socket.write(Buffer.concat([Buffer.from([LOGIN_VERSION]), lengthPrefixed(user), lengthPrefixed(password)]));
  const [, reply] = await reader.read(2);
  if (reply !== 0) throw proxyFailure('requires another user or password');
}

function addressBytes({ host, port }: TunnelTarget): Buffer {
  const address = isIPv4(host)
    ? Buffer.from([ADDRESS.ipv4, ...host.split('.').map(Number)])
    : isIPv6(host)
      ? Buffer.from([ADDRESS.ipv6, ...ipv6Bytes(host)])
      : Buffer.concat([Buffer.from([ADDRESS.name]), lengthPrefixed(host)]);
  return Buffer.concat([address, Buffer.from([port >> 8, port & 0xff])]);
}

/** URLs write IPv6 addresses in hexadecimal groups with at most one `::`. */
function ipv6Bytes(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const groups = (part: string | undefined): string[] => (part ? part.split(':') : []);
  const [first, last] = [groups(head), groups(tail)];
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  return [...first, ...zeros, ...last].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** The address that the proxy has bound, which is not needed. */
async function skipAddress(reader: HandshakeReader, type: number): Promise<void> {
  const lengths: Record<number, number> = { [ADDRESS.ipv4]: 4, [ADDRESS.ipv6]: 16 };
  const length = type === ADDRESS.name ? ((await reader.read(1))[0] ?? 0) : lengths[type];
  if (length === undefined) throw proxyFailure('does not speak SOCKS 5');
  await reader.read(length + 2);
}

function lengthPrefixed(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length > 255) throw proxyFailure('does not support a name or password of more than 255 bytes');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
