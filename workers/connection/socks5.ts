import { isIPv4, isIPv6, type Socket } from 'node:net';
import { HandshakeReader, proxyFailure } from './handshake-reader.js';
import type { ProxyLogin, TunnelTarget } from './tunnel-target.js';

const VERSION = 5;
const NO_LOGIN = 0;
const USER_AND_PASSWORD = 2;
const LOGIN_VERSION = 1;
const CONNECT = 1;
const ADDRESS = { ipv4: 1, name: 3, ipv6: 4 } as const;

/** RFC 1928 §6. */
const REFUSALS: readonly string[] = [
  'has failed',
  'does not allow this connection',
  'cannot reach the network',
  'cannot reach the host',
  'was refused by the server',
  'waited too long for the server',
  'does not know CONNECT',
  'does not know this kind of address',
];

/**
 * SOCKS 5 (RFC 1928, login by RFC 1929). Names are resolved by the proxy.
 *
 *     us                                           proxy
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
  else if (method !== NO_LOGIN) throw proxyFailure('wants a user and a password');
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressBytes(target)]));
  const [, refusal = 1, , type = 0] = await reader.read(4);
  if (refusal !== 0) throw proxyFailure(REFUSALS[refusal - 1] ?? `answered ${refusal}`);
  await skipAddress(reader, type);
}

async function logIn(socket: Socket, reader: HandshakeReader, { user, password }: ProxyLogin): Promise<void> {
  socket.write(Buffer.concat([Buffer.from([LOGIN_VERSION]), counted(user), counted(password)]));
  const [, refusal] = await reader.read(2);
  if (refusal !== 0) throw proxyFailure('wants another user or password');
}

function addressBytes({ host, port }: TunnelTarget): Buffer {
  const address = isIPv4(host)
    ? Buffer.from([ADDRESS.ipv4, ...host.split('.').map(Number)])
    : isIPv6(host)
      ? Buffer.from([ADDRESS.ipv6, ...ipv6Bytes(host)])
      : Buffer.concat([Buffer.from([ADDRESS.name]), counted(host)]);
  return Buffer.concat([address, Buffer.from([port >> 8, port & 0xff])]);
}

/** A URL writes them in hexadecimal groups with at most one `::`. */
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

/** Where the proxy listens for us, which nobody needs to know. */
async function skipAddress(reader: HandshakeReader, type: number): Promise<void> {
  const lengths: Record<number, number> = { [ADDRESS.ipv4]: 4, [ADDRESS.ipv6]: 16 };
  const length = type === ADDRESS.name ? ((await reader.read(1))[0] ?? 0) : lengths[type];
  if (length === undefined) throw proxyFailure('does not speak SOCKS 5');
  await reader.read(length + 2);
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw proxyFailure('cannot be told a name or password of more than 255 bytes');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
