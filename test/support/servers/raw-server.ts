import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Sends bytes as they are given, for what no API server in its right mind would send. Watches stay open. */
export class RawServer {
  readonly #server: Server;
  /** Each list takes the next; the last one repeats. */
  readonly lists: Buffer[] = [];
  /** A watch is sent those after its version. */
  readonly events: { readonly version: number | bigint; readonly line: Buffer }[] = [];

  private constructor() {
    this.#server = createServer(({ url = '' }, response) => {
      const { searchParams: query } = new URL(url, 'http://localhost');
      response.writeHead(200, { 'Content-Type': 'application/json' });
      if (query.has('watch')) {
        response.flushHeaders();
        const from = BigInt(query.get('resourceVersion') ?? '');
        for (const { version, line } of this.events) if (version > from) response.write(line);
      } else response.end(this.lists.length > 1 ? this.lists.shift() : this.lists[0]);
    });
  }

  static async start(): Promise<RawServer> {
    const server = new RawServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
