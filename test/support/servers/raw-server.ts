import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Sends bytes as they are given, for what no API server in its right mind would send. Watches stay open. */
export class RawServer {
  readonly #server: Server;
  /** Each list takes the next; the last one repeats. */
  readonly lists: Buffer[] = [];
  /** A watch is sent those after its version. */
  readonly events: { readonly version: number | bigint; readonly line: Buffer }[] = [];
  readonly #watches = new Set<ServerResponse>();

  private constructor() {
    this.#server = createServer(({ url = '' }, response) => {
      const { searchParams: query } = new URL(url, 'http://localhost');
      response.writeHead(200, { 'Content-Type': 'application/json' });
      if (query.has('watch')) {
        response.flushHeaders();
        this.#watches.add(response);
        response.once('close', () => this.#watches.delete(response));
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

  /** To the open watches too. */
  send(version: number | bigint, line: Buffer): void {
    this.events.push({ version, line });
    for (const watch of this.#watches) watch.write(line);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
