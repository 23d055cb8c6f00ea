import type { Socket } from 'node:net';
import { HandshakeReader, proxyFailure } from './handshake-reader.js';
import type { ProxyLogin, TunnelTarget } from './tunnel-target.js';

/** Of a proxy's answer. */
const MOST_HEAD_BYTES = 16 * 1024;

/** HTTP's CONNECT (RFC 9110 §9.3.6). Only the proxy's own user and password are sent to it. */
export async function httpConnect(
  socket: Socket,
  { host, port }: TunnelTarget,
  login: ProxyLogin | undefined,
): Promise<void> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (login !== undefined) {
    const basic = Buffer.from(`${login.user}:${login.password}`).toString('base64');
    lines.push(`Proxy-Authorization: Basic ${basic}`);
  }
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const head = await new HandshakeReader(socket).readUntil('\r\n\r\n', MOST_HEAD_BYTES);
  const code = /^HTTP\/1\.[01] (\d{3})\b/.exec(head)?.[1];
  if (code === undefined) throw proxyFailure('does not speak HTTP');
  if (code === '407') throw proxyFailure('answered 407: it wants another user or password');
  if (!code.startsWith('2')) throw proxyFailure(`answered ${code} to CONNECT`);
}
