/** A client of the control plane's etcd over its JSON gateway, which bypasses the API server. */

import { Agent, request } from 'node:http';

/** Enough to keep one etcd busy. */
const CONNECTIONS = 32;

interface RangeAnswer {
  readonly kvs?: readonly { readonly key: string; readonly value: string }[];
}

interface HeaderAnswer {
  readonly header: { readonly revision: string };
}

export class EtcdClient implements Disposable {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  constructor(port: number) {
    this.#port = port;
  }

  async get(key: string): Promise<Buffer> {
    const { kvs } = (await this.#call('kv/range', { key: base64(key) })) as RangeAnswer;
    const [first] = kvs ?? [];
    if (first === undefined) throw new Error(`etcd has no ${key}`);
    return Buffer.from(first.value, 'base64');
  }

  /** Returns the revision of the write. */
  async put(key: string, value: Buffer): Promise<string> {
    const answer = await this.#call('kv/put', { key: base64(key), value: value.toString('base64') });
    return (answer as HeaderAnswer).header.revision;
  }

  /** Compacts everything before the revision. */
  async compact(revision: string): Promise<void> {
    await this.#call('kv/compaction', { revision, physical: true });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #call(method: string, body: unknown): Promise<unknown> {
    const payload = JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          ...{
            host: '127.0.0.1',
            port: this.#port,
            path: `/v3/${method}`,
            method: 'POST',
            agent: this.#agent,
          },
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
        },
        (incoming) => {
          let text = '';
          incoming.setEncoding('utf8');
          incoming.on('data', (chunk: string) => {
            text += chunk;
          });
          incoming.on('error', reject);
          incoming.on('end', () => {
            if (incoming.statusCode === 200) resolve(JSON.parse(text));
            else reject(new Error(`etcd returned ${incoming.statusCode} for ${method}: ${text}`));
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
