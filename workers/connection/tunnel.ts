import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates } from 'node:tls';
import { errnoOf, StreamFailure, transportFailure } from '../stream-failure.js';
import { httpConnect } from './connect.js';
import { socks5Connect } from './socks5.js';
import type { ProxyLogin, TunnelTarget } from './tunnel-target.js';

export interface TunnelOrder extends TunnelTarget {
  /** http, https or socks5, with user and password if the proxy wants them. */
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

/** A socket that leads through a proxy to the target, as if it were connected to it. Rejects with a `StreamFailure`. */
export async function openTunnel(order: TunnelOrder): Promise<Socket> {
  const proxy = new URL(order.proxyUrl);
  const socket = dial(proxy, order.ca);
  // Whoever waits is told; between two waits nobody is, and that must not end the thread.
  socket.on('error', ignore);
  const onTimeout = (): void =>
    void socket.destroy(
      transportFailure('ETIMEDOUT', `no way through the proxy within ${order.timeoutMs} ms`),
    );
  const onAbort = (): void => void socket.destroy(transportFailure('aborted', 'the stream was stopped'));
  const timer = setTimeout(onTimeout, order.timeoutMs);
  order.signal.addEventListener('abort', onAbort, { once: true });
  if (order.signal.aborted) onAbort();
  try {
    await dialled(socket, proxy.protocol === 'https:' ? 'secureConnect' : 'connect');
    const handshake = proxy.protocol.startsWith('socks5') ? socks5Connect : httpConnect;
    await handshake(socket, order, loginOf(proxy));
    socket.off('error', ignore);
    return socket;
  } catch (error) {
    socket.destroy();
    if (error instanceof StreamFailure) throw error;
    // Addresses and names of certificates; the URL, which may hold a password, is not in it.
    throw transportFailure(errnoOf(error), `the proxy: ${(error as Error).message}`);
  } finally {
    clearTimeout(timer);
    order.signal.removeEventListener('abort', onAbort);
  }
}

function ignore(): void {}

function dial(proxy: URL, ca: string | undefined): Socket {
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const port = proxy.port === '' ? (DEFAULT_PORTS[proxy.protocol] ?? 0) : Number(proxy.port);
  if (proxy.protocol !== 'https:') return connectPlain({ host, port });
  return connectTls({
    host,
    port,
    // An address is no name to ask for.
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
  });
}

function dialled(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
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
