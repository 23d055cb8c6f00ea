import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { StreamEnvironment } from '#dist/workers/stream-session.js';
import { runStream, type StreamRun } from '../../support/workers/stream-run.js';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that calls `respond` for every request, with the socket and how many requests came before on it. */
async function listening(respond: (socket: Socket, before: number) => Promise<void> | void): Promise<string> {
  const server = createServer((socket) => {
    let requests = 0;
    closers.push(() => socket.destroy());
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (bytes.includes('\r\n\r\n')) void respond(socket.setNoDelay(true), requests++);
    });
  });
  closers.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function event(name: string, version: number): string {
  const metadata = { name, namespace: 'ns', uid: name, resourceVersion: String(version) };
  return `${JSON.stringify({ type: 'ADDED', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata } })}\n`;
}

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const END = '0\r\n\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const watch = (connection: string) => runStream({ verb: 'watch', path: '/watch', connection });
const keys = (run: StreamRun) => run.objects.map(({ key }) => key);

/** The pieces arrive in reads of their own, most of the time. */
async function send(socket: Socket, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    await new Promise<void>((resolve) => socket.write(piece, () => setImmediate(resolve)));
  }
}

describe('BodyTap', () => {
  it('reads a watch of which every byte arrives alone', async () => {
    const response = HEAD + chunk(event('a', 1) + event('b', 2)) + chunk(event('c', 3)) + END;
    const run = await watch(await listening((socket) => send(socket, [...response])));
    expect(run.types.at(-1)).toBe('end');
    expect(keys(run)).toEqual(['ns/a', 'ns/b', 'ns/c']);
  });

  it('reads an event that spans chunks, and chunks that span events', async () => {
    const text = event('a', 1) + event('b', 2) + event('c', 3);
    const response = [
      HEAD,
      chunk(text.slice(0, 30)),
      chunk(text.slice(30, 200)),
      chunk(text.slice(200)),
      END,
    ];
    const run = await watch(await listening((socket) => send(socket, [response.join('')])));
    expect(run.types.at(-1)).toBe('end');
    expect(keys(run)).toEqual(['ns/a', 'ns/b', 'ns/c']);
  });

  it('uses the connection of a watch that has ended for the next request', async () => {
    const befores: number[] = [];
    const connection = await listening((socket, before) => {
      befores.push(before);
      return send(socket, [HEAD, chunk(event('a', before + 1)), END]);
    });
    const environment = new StreamEnvironment();
    for (let i = 0; i < 3; i++) {
      const run = await runStream({ verb: 'watch', path: '/watch', connection }, environment);
      expect(run.types.at(-1)).toBe('end');
      expect(keys(run)).toEqual(['ns/a']);
    }
    expect(befores).toEqual([0, 1, 2]);
    environment.httpClient.close();
  });

  it('takes no informational response for the response', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    const run = await watch(
      await listening((socket) => send(socket, [hints + HEAD + chunk(event('a', 1)), END])),
    );
    expect(run.types.at(-1)).toBe('end');
    expect(keys(run)).toEqual(['ns/a']);
  });

  it('reads chunks with extensions, and trailers', async () => {
    const text = event('a', 1);
    const extended = `${text.length.toString(16)};sum=5\r\n${text}\r\n`;
    const trailers = '0\r\nSum: 5\r\n\r\n';
    const run = await watch(
      await listening((socket) => send(socket, [HEAD, chunk(event('b', 2)), extended, trailers])),
    );
    expect(run.types.at(-1)).toBe('end');
    expect(keys(run)).toEqual(['ns/b', 'ns/a']);
  });

  it.each([
    ['closed in the middle of a chunk', chunk(event('b', 2)).slice(0, -9), 'truncated'],
    ['closed between two chunks', '', 'truncated'],
    ['that is not chunked where a size has to be', 'size\r\n', /^HPE_/],
    ['with a chunk that is longer than its size', `3\r\nabcdef\r\n${END}`, /^HPE_/],
  ])('delivers the events before the end of a body %s', async (_, rest, errno) => {
    const connection = await listening(async (socket) => {
      await send(socket, [HEAD, chunk(event('a', 1)), rest]);
      socket.end();
    });
    const run = await watch(connection);
    expect(run.error).toMatchObject({
      type: 'transport',
      errno: errno instanceof RegExp ? expect.stringMatching(errno) : errno,
    });
    expect(keys(run)).toEqual(['ns/a']);
  });

  it('reads a body without chunks', async () => {
    const text = event('a', 1) + event('b', 2);
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`;
    const run = await watch(
      await listening((socket) => send(socket, [head, text.slice(0, 90), text.slice(90)])),
    );
    expect(run.types.at(-1)).toBe('end');
    expect(keys(run)).toEqual(['ns/a', 'ns/b']);
  });
});
