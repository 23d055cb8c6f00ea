import { createHash } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiServerHandle, startApiServer } from 'kubeflect/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const POD_COUNT = 1500;

let server: ApiServerHandle;

beforeAll(async () => {
  server = await startApiServer();
  await server.populate({ kind: 'Pod', count: POD_COUNT });
});
afterAll(() => server.close());

/** How a reader behaves after each chunk. */
type Pace = () => Promise<unknown> | undefined;

async function digestOf(query: string, pace: Pace = () => undefined, gzip = false): Promise<string> {
  const headers = gzip ? { 'accept-encoding': 'gzip' } : {};
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${server.url}/api/v1/pods?${query}`, { headers }, resolve).on('error', reject);
  });
  const hash = createHash('sha256');
  for await (const chunk of response) {
    hash.update(chunk as Buffer);
    await pace();
  }
  return hash.digest('hex');
}

describe('large lists, read concurrently at different speeds', () => {
  it.each(['resourceVersion=0', 'limit=500', 'limit=1000', 'labelSelector=app'])(
    'are complete with %s',
    async (query) => {
      const expected = await digestOf(query);
      let chunks = 0;
      const paces: Pace[] = [
        () => undefined,
        // A slow reader.
        () => sleep(1),
        // A reader that pauses.
        () => (chunks++ % 20 === 0 ? sleep(30) : undefined),
        () => new Promise((resolve) => setImmediate(resolve)),
      ];
      const digests = await Promise.all([...paces, ...paces].map((pace) => digestOf(query, pace)));
      expect(new Set(digests)).toEqual(new Set([expected]));
    },
  );

  it('are complete when compressed', async () => {
    const expected = await digestOf('limit=1000', undefined, true);
    const digests = await Promise.all([1, 2, 3].map(() => digestOf('limit=1000', undefined, true)));
    expect(new Set(digests)).toEqual(new Set([expected]));
  });
});
