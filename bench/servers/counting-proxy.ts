/** Passes connections on as they are, TLS included, and counts what comes back. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

export interface CountingProxy {
  readonly port: number;
  /** Bytes from the server to its clients so far. */
  readonly bytes: number;
  close(): void;
}

/** To a port of this machine. */
export async function startCountingProxy(target: number): Promise<CountingProxy> {
  let bytes = 0;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    upstream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    client.pipe(upstream).pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get bytes() {
      return bytes;
    },
    close: () => server.close(),
  };
}
