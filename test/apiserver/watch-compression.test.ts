import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { startApiServer } from 'kubeflect/testing';
import { expect, test } from 'vitest';

/** Of deflate's sync flush: an empty stored block. */
const FLUSH = Buffer.from([0x00, 0x00, 0xff, 0xff]);
const LAST_BLOCK_AND_TRAILER_BYTES = 2 + 8;

test('a gzip member of a streaming list is flushed before its end, so that Go reads all of it at once', async () => {
  const server = await startApiServer();
  try {
    await server.populate({ kind: 'ConfigMap', count: 3 });
    const query =
      'watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
    const headers = { 'accept-encoding': 'gzip' };
    const request = get(`${server.url}/api/v1/configmaps?${query}`, { headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.headers['content-encoding']).toBe('gzip');
    const members: Buffer[] = [];
    for await (const member of response as AsyncIterable<Buffer>) {
      members.push(member);
      if (gunzipSync(member).includes('k8s.io/initial-events-end')) break;
    }
    for (const member of members) {
      const end = member.length - LAST_BLOCK_AND_TRAILER_BYTES;
      expect(member.subarray(end - FLUSH.length, end)).toEqual(FLUSH);
    }
    expect(gunzipSync(Buffer.concat(members)).toString().trimEnd().split('\n')).toHaveLength(4);
  } finally {
    await server.close();
  }
});
