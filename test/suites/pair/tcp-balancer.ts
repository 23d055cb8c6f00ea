/** A TCP load balancer in front of several servers on loopback. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class TcpBalancer implements AsyncDisposable {
  /** How many connections each port has got. */
  readonly connections = new Map<number, number>();
  readonly #server: Server;
  readonly #ports: readonly number[];
  readonly #away = new Set<number>();
  readonly #open = new Map<number, Set<Socket>>();
  #next = 0;

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
    for (const port of ports) this.#open.set(port, new Set());
    this.#server = createServer((client) => this.#forward(client, this.#choose(), true));
  }

  static async start(ports: readonly number[]): Promise<TcpBalancer> {
    const balancer = new TcpBalancer(ports);
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resets the connections of a server, and sends it no new ones. */
  takeAway(port: number): void {
    this.#away.add(port);
    for (const socket of this.#open.get(port) ?? []) socket.resetAndDestroy();
  }

  bringBack(port: number): void {
    this.#away.delete(port);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    for (const port of this.#ports) this.takeAway(port);
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  /** In turn, of those that are there. */
  #choose(): number | undefined {
    const there = this.#ports.filter((port) => !this.#away.has(port));
    return there[this.#next++ % there.length];
  }

  /** A server that refuses the connection is tried once; then the client gets another one. */
  #forward(client: Socket, port: number | undefined, mayRetry: boolean): void {
    if (port === undefined) {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ host: '127.0.0.1', port });
    const reset = (): void => {
      server.destroy();
      client.destroy();
    };
    const refuse = (): void => {
      const other = this.#ports.find((candidate) => candidate !== port && !this.#away.has(candidate));
      if (mayRetry && !client.destroyed) this.#forward(client, other, false);
      else reset();
    };
    server.once('error', refuse);
    server.once('connect', () => {
      server.off('error', refuse);
      this.connections.set(port, (this.connections.get(port) ?? 0) + 1);
      this.#open.get(port)?.add(client);
      for (const socket of [client, server]) {
        socket.setNoDelay(true);
        socket.on('error', reset);
        socket.on('close', reset);
      }
      client.on('close', () => this.#open.get(port)?.delete(client));
      if (this.#away.has(port)) client.resetAndDestroy();
      client.pipe(server);
      server.pipe(client);
    });
  }
}
