import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What is done to bytes on their way from the server. */
export interface Toxics {
  /** Each piece is held up for so long. */
  readonly latencyMs?: number;
  /** Pieces of at most so many bytes. */
  readonly sliceBytes?: number;
  /** Together, in all directions of one connection. */
  readonly bytesPerSecond?: number;
  /** Nothing arrives any more, or nothing of one direction, and nobody is told: not even that a connection was closed. */
  readonly blackHole?: true | 'requests' | 'answers';
  /** But for connections whose last request has this in its first line. */
  readonly spares?: string;
  /** After so many bytes the connection is closed, or reset. */
  readonly endAfterBytes?: number;
  readonly end?: 'cut' | 'reset';
  /** Connections are refused. */
  readonly refuse?: boolean;
}

/** A TCP proxy on loopback that stands before a server and spoils what comes from it. */
export class ToxicProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #target: number;
  /** For what passes from now on, on open connections too. */
  toxics: Toxics = {};
  connections = 0;
  /** First lines of what arrived here, if it was HTTP in the clear. */
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

  /** Every connection is closed, without a word. */
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
