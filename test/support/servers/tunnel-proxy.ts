import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { issueCertificate } from '#dist/apiserver/certificate.js';
import { newAuthority, now } from './credential-checking-server.js';

export type ProxyKind = 'http' | 'https' | 'socks5';

export interface ProxyOptions {
  readonly user?: string;
  readonly password?: string;
  /** Local ports by `host:port`; other targets are rejected. @default every port of this machine */
  readonly routes?: Readonly<Record<string, number>>;
}

/** A CONNECT or SOCKS 5 proxy on loopback that checks the login and records every byte before a tunnel opens. */
export class TunnelProxy implements AsyncDisposable {
  /** The requested targets, as `host:port`. */
  readonly targets: string[] = [];
  /** Everything that was sent to the proxy itself, unencrypted. */
  received = '';
  readonly ca: string | undefined;
  readonly #kind: ProxyKind;
  readonly #options: ProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(kind: ProxyKind, options: ProxyOptions) {
    this.#kind = kind;
    this.#options = options;
    const serve = (socket: Socket): void => void this.#serve(socket).catch(() => socket.destroy());
    if (kind === 'https') {
      const authority = newAuthority('proxy');
      const { certificate, privateKey } = issueCertificate(authority, {
        commonName: 'proxy',
        hosts: ['127.0.0.1'],
        usage: 'server',
        now,
      });
      this.ca = authority.certificate;
      this.#server = createTlsServer({ cert: certificate, key: privateKey }, serve);
    } else this.#server = createServer(serve);
  }

  static async start(kind: ProxyKind, options: ProxyOptions = {}): Promise<TunnelProxy> {
    const proxy = new TunnelProxy(kind, options);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Including the login. */
  get url(): string {
    const { user, password } = this.#options;
    const login =
      user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`;
    return `${this.#kind}://${login}127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Closes all tunnels. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dropConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(socket: Socket): Promise<void> {
    this.#keep(socket);
    if (this.#kind === 'socks5') await this.#serveSocks(socket);
    else await this.#serveConnect(socket);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
  }

  async #serveConnect(socket: Socket): Promise<void> {
    let head = '';
    while (!head.includes('\r\n\r\n')) head += (await this.#read(socket)).toString('latin1');
    const target = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head)?.[1] ?? '';
    const { user, password } = this.#options;
    const login = Buffer.from(`${user}:${password}`).toString('base64');
    const isKnown = user === undefined || head.includes(`\r\nProxy-Authorization: Basic ${login}\r\n`);
    if (!isKnown) socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    else {
      const port = this.#portOf(target);
      if (port === undefined) socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
      else this.#join(socket, port, 'HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n');
    }
  }

  async #serveSocks(socket: Socket): Promise<void> {
    const { user, password } = this.#options;
    const greeting = await this.#read(socket);
    const methods = [...greeting.subarray(2)];
    const method = user === undefined ? 0 : 2;
    if (!methods.includes(method)) {
      socket.end(Buffer.from([5, 0xff]));
      return;
    }
    socket.write(Buffer.from([5, method]));
    if (method === 2) {
      const login = await this.#read(socket);
      const userLength = login[1] ?? 0;
      const isKnown =
        login.subarray(2, 2 + userLength).toString() === user &&
        login.subarray(3 + userLength).toString() === password;
      socket.write(Buffer.from([1, isKnown ? 0 : 1]));
      if (!isKnown) return;
    }
    const request = await this.#read(socket);
    const port = this.#portOf(`${hostOf(request)}:${request.readUInt16BE(request.length - 2)}`);
    if (port === undefined) socket.end(Buffer.from([5, 4, 0, 1, 0, 0, 0, 0, 0, 0]));
    else this.#join(socket, port, Buffer.from([5, 0, 0, 3, 4, ...Buffer.from('here'), 0, 80]));
  }

  #portOf(target: string): number | undefined {
    this.targets.push(target);
    const { routes } = this.#options;
    return routes === undefined
      ? Number(/^127\.0\.0\.1:(\d+)$/.exec(target)?.[1]) || undefined
      : routes[target];
  }

  #join(socket: Socket, port: number, answer: string | Buffer): void {
    const onward = connect(port, '127.0.0.1', () => {
      socket.write(answer);
      socket.pipe(onward).pipe(socket);
    });
    this.#keep(onward);
    onward.on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  }

  async #read(socket: Socket): Promise<Buffer> {
    for (;;) {
      const bytes = socket.read() as Buffer | null;
      if (bytes !== null) {
        this.received += bytes.toString('latin1');
        return bytes;
      }
      if (socket.destroyed || socket.readableEnded) throw new Error('the client closed the connection');
      await new Promise((resolve) => {
        socket.once('readable', resolve);
        socket.once('close', resolve);
      });
    }
  }
}

function hostOf(request: Buffer): string {
  const address = request.subarray(4, -2);
  if (request[3] === 3) return address.subarray(1).toString();
  if (request[3] === 1) return address.join('.');
  return `[${address.toString('hex')}]`;
}
