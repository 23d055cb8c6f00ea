import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Faults of a connection from the server to the client. */
export interface Toxics {
  /** Delay of every piece. */
  readonly latencyMs?: number;
  /** Maximum size of a piece. */
  readonly sliceBytes?: number;
  /** Bandwidth of a connection, both directions together. */
  readonly bytesPerSecond?: number;
  /** Drops all data, or that of one direction, and closed connections are not reported. */
  readonly blackHole?: true | 'requests' | 'answers';
  /** Except on connections whose last request line contains this string. */
  readonly spares?: string;
  /** Closes or resets the connection after this number of bytes. */
  readonly endAfterBytes?: number;
  readonly end?: 'cut' | 'reset';
  /** Refuses connections. */
  readonly refuse?: boolean;
}

/** A TCP proxy on loopback that injects faults between a client and a server. */
export class ToxicProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #target: number;
  /** Takes effect at once, on open connections too. */
  toxics: Toxics = {};
  connections = 0;
  /** Request lines, if the connection is plain HTTP. */
  readonly requests: string[] = [];

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer({ pauseOnConnect: true }, (client) => this.#accept(client));
  }

  static async before(target: number): Promise<ToxicProxy> {
    const proxy = new ToxicProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get open(): number {
    return this.#sockets.size;
  }

  /** Closes every connection. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.drop();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(client: Socket): void {
    if (this.toxics.refuse === true) {
      client.resetAndDestroy();
      return;
    }
    this.connections++;
    const server = connect(this.#target, '127.0.0.1');
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.#sockets.delete(socket));
    }
    let request = '';
    const swallows = (direction: 'requests' | 'answers'): boolean => {
      const { blackHole, spares } = this.toxics;
      if (spares !== undefined && request.includes(spares)) return false;
      return blackHole === true || blackHole === direction;
    };
    client.once('close', () => server.destroy());
    server.once('close', () => {
      if (!swallows('answers')) client.end();
    });
    client.on('data', (bytes) => {
      const [line = ''] = bytes.toString('latin1').split('\r\n', 1);
      if (line.endsWith('HTTP/1.1')) {
        request = line;
        this.requests.push(line);
      }
      if (!swallows('requests')) server.write(bytes);
    });
    void this.#spoil(server, client, () => swallows('answers')).catch(() => client.destroy());
    client.resume();
  }

  async #spoil(server: Socket, client: Socket, isSwallowed: () => boolean): Promise<void> {
    let sent = 0;
    for await (const chunk of server as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; ) {
        const { latencyMs = 0, sliceBytes = chunk.length, bytesPerSecond, end } = this.toxics;
        const { endAfterBytes = Number.POSITIVE_INFINITY } = this.toxics;
        const piece = chunk.subarray(at, at + Math.min(sliceBytes, Math.max(0, endAfterBytes - sent)));
        const rateMs = bytesPerSecond === undefined ? 0 : (piece.length / bytesPerSecond) * 1000;
        // The latency and the bandwidth of the toxics.
        if (latencyMs + rateMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs + rateMs));
        if (isSwallowed()) return;
        if (piece.length > 0) client.write(piece);
        at += piece.length;
        sent += piece.length;
        if (sent < endAfterBytes) continue;
        if (end === 'reset') client.resetAndDestroy();
        else client.end();
        server.destroy();
        return;
      }
    }
  }
}
