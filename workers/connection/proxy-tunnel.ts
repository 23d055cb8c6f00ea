import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates } from 'node:tls';
import { errnoOf, StreamFailure, transportFailure } from '../stream-failure.js';
import { HandshakeReader, type ProxyLogin, proxyFailure, type TunnelTarget } from './proxy-handshake.js';
import { socks5Connect } from './socks5.js';

export interface TunnelOptions extends TunnelTarget {
  /** http, https or socks5, with user and password if the proxy requires them. */
  readonly proxyUrl: string;
  /** Trusted for the certificate of an https proxy, besides the public authorities. */
  readonly ca: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'socks5:': 1080,
  'socks5h:': 1080,
};

/** Limit for the head of the proxy's response to CONNECT. */
const MAX_HEAD_BYTES = 16 * 1024;

/** Opens a socket that leads through a proxy to the target. Rejects with a `StreamFailure`. */
export async function openTunnel(options: TunnelOptions): Promise<Socket> {
  const proxy = new URL(options.proxyUrl);
  const socket = connectToProxy(proxy, options.ca);
  // Every wait below has its own listener; an error between two waits must not end the thread.
  socket.on('error', ignore);
  const onTimeout = (): void =>
    void socket.destroy(
      transportFailure('ETIMEDOUT', `no connection through the proxy within ${options.timeoutMs} ms`),
    );
  const onAbort = (): void => void socket.destroy(transportFailure('aborted', 'the stream was stopped'));
  const timer = setTimeout(onTimeout, options.timeoutMs);
  options.signal.addEventListener('abort', onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  try {
    await connected(socket, proxy.protocol === 'https:' ? 'secureConnect' : 'connect');
    const handshake = proxy.protocol.startsWith('socks5') ? socks5Connect : httpConnect;
    await handshake(socket, options, loginOf(proxy));
    socket.off('error', ignore);
    return socket;
  } catch (error) {
    socket.destroy();
    if (error instanceof StreamFailure) throw error;
    // Contains addresses and names of certificates, but not the URL, which may hold a password.
    throw transportFailure(errnoOf(error), `the proxy: ${(error as Error).message}`);
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', onAbort);
  }
}

function ignore(): void {}

function connectToProxy(proxy: URL, ca: string | undefined): Socket {
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const port = proxy.port === '' ? (DEFAULT_PORTS[proxy.protocol] ?? 0) : Number(proxy.port);
  if (proxy.protocol !== 'https:') return connectPlain({ host, port });
  return connectTls({
    host,
    port,
    // SNI does not allow IP addresses.
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
  });
}

function connected(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once(event, () => {
      socket.off('error', reject);
      resolve();
    });
  });
}

function loginOf({ username, password }: URL): ProxyLogin | undefined {
  if (username === '' && password === '') return undefined;
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** HTTP's CONNECT (RFC 9110 §9.3.6). Only the proxy's own user and password are sent to it. */
async function httpConnect(
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
  const head = await new HandshakeReader(socket).readUntil('\r\n\r\n', MAX_HEAD_BYTES);
  const code = /^HTTP\/1\.[01] (\d{3})\b/.exec(head)?.[1];
  if (code === undefined) throw proxyFailure('does not speak HTTP');
  if (code === '407') throw proxyFailure('answered 407: it requires another user or password');
  if (!code.startsWith('2')) throw proxyFailure(`answered ${code} to CONNECT`);
}
