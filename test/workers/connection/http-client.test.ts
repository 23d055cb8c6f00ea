import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { MessageChannel } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { startApiServer } from 'kubeflect/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type FromWorker, HEARTBEAT_SLOTS, HEARTBEAT_TICKS } from '#dist/src/wire/messages.js';
import { HttpClient } from '#dist/workers/connection/http-client.js';
import { runStream as runInThread, startThread } from '#dist/workers/main.js';
import { StreamEnvironment } from '#dist/workers/stream-session.js';
import { runStream, StreamRun, taskOf } from '../../support/workers/stream-run.js';

const closers: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that answers every request in the same way. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  closers.push(() => server.closeAllConnections());
  return listen(server);
}

function answer(
  response: ServerResponse,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(body);
}

const EMPTY_LIST = '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]}';

function event(name: string, version: number): string {
  const metadata = { name, namespace: 'ns', uid: name, resourceVersion: String(version) };
  return `${JSON.stringify({ type: 'ADDED', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata } })}\n`;
}

function list(connection: string) {
  return runStream({ path: '/list', connection });
}

describe('HttpClient, TLS', () => {
  it('trusts the configured CA and no other', async () => {
    const server = await startApiServer({ tls: true });
    closers.push(() => server.close());
    const path = '/api/v1/namespaces';
    const decoding = { kind: 'Namespace' };
    const ca = server.ca ?? '';
    const connect = (tls: object) =>
      runStream({ path, decoding, connection: { server: server.url, headers: {}, tls } });
    expect((await connect({ ca })).types).toContain('end');
    expect((await connect({ insecureSkipVerify: true })).types).toContain('end');
    const untrusted = await connect({});
    expect(untrusted.types).toEqual(['failed']);
    expect(untrusted.error).toMatchObject({
      type: 'transport',
      errno: expect.stringMatching(/CERT|SIGN|ISSUER/),
    });
    const misnamed = await connect({ ca, serverName: 'elsewhere.example.com' });
    expect(misnamed.error).toMatchObject({ type: 'transport', errno: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('reports unreadable certificates without quoting them', async () => {
    const tls = { ca: 'no certificate', cert: 'public nonsense', key: 'private nonsense' };
    const run = await runStream({
      path: '/',
      connection: { server: 'https://127.0.0.1:1', headers: {}, tls },
    });
    expect(run.error).toMatchObject({ type: 'transport' });
    expect(JSON.stringify(run.error)).not.toContain('nonsense');
  });

  it('fails if a handshake does not end', async () => {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => sockets.push(socket));
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
    });
    const url = (await listen(server)).replace('http:', 'https:');
    const run = await runStream({ path: '/', connection: url, limits: { connectMs: 150 } });
    expect(run.error).toMatchObject({ type: 'transport', errno: 'ETIMEDOUT' });
  });
});

describe('HttpClient, connections', () => {
  it('fails if the connection is refused', async () => {
    const run = await list('http://127.0.0.1:1');
    expect(run.error).toMatchObject({ type: 'transport', errno: 'ECONNREFUSED' });
  });

  it('keeps the path prefix of the server address', async () => {
    const asked: (string | undefined)[] = [];
    const url = await answering((request, response) => {
      asked.push(request.url);
      answer(response, EMPTY_LIST);
    });
    await list(`${url}/k8s/clusters/c-1/`);
    await list(`${url}/prefix`);
    expect(asked).toEqual(['/k8s/clusters/c-1/list', '/prefix/list']);
  });

  it('replaces a connection that the server closed while it was idle', async () => {
    const connections = new Set<Socket>();
    let requests = 0;
    const url = await answering((request: IncomingMessage, response) => {
      requests++;
      // Answers one request on each connection, and hangs up on the second.
      if (connections.has(request.socket)) {
        request.socket.destroy();
        return;
      }
      connections.add(request.socket);
      answer(response, EMPTY_LIST);
    });
    const environment = new StreamEnvironment();
    for (let i = 0; i < 3; i++) {
      const run = await runStream({ path: '/list', connection: url }, environment);
      expect(run.types).toEqual(['open', 'begin', 'end']);
    }
    expect(requests).toBe(5);
    environment.httpClient.close();
  });

  it('never reveals credentials', async () => {
    const secret = 'c2VjcmV0LXRva2Vu';
    const settings = (server: string) => ({ server, headers: { Authorization: `Bearer ${secret}` } });
    const hangingUp = await answering((request) => request.socket.destroy());
    const binary = { server: hangingUp, headers: { Authorization: `Bearer ${secret}\n` } };
    for (const connection of [
      settings(hangingUp),
      settings('http://127.0.0.1:1'),
      settings('nonsense'),
      binary,
    ]) {
      const run = await runStream({ path: '/list', connection });
      expect(run.types).toEqual(['failed']);
      expect(JSON.stringify(run.error)).not.toContain(secret);
    }
  });
});

describe('HttpClient, responses', () => {
  it('delivers each event of a body in many gzip members as it arrives', async () => {
    let next: (() => void) | undefined;
    const url = await answering(async (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
      for (let i = 0; i < 5; i++) {
        const text = event(`e${i}`, i + 1);
        // One event in two members, the border in the middle of it.
        response.write(gzipSync(text.slice(0, 20)));
        response.write(gzipSync(text.slice(20)));
        await new Promise<void>((resolve) => {
          next = resolve;
        });
      }
      response.end();
    });
    const run = new StreamRun({ verb: 'watch', path: '/watch?resourceVersion=1', connection: url });
    for (let i = 1; i <= 5; i++) {
      await run.until(({ objects }) => objects.length === i);
      next?.();
    }
    await run.ended;
    expect(run.end).toBeDefined();
  });

  it('fails if the gzip ratio is above its limit', async () => {
    const bomb = gzipSync(`${EMPTY_LIST.slice(0, -1)},"x":"${'0'.repeat(30 << 20)}"}`);
    const url = await answering((_, response) => answer(response, bomb, { 'Content-Encoding': 'gzip' }));
    expect((await list(url)).error).toMatchObject({
      type: 'protocol',
      message: expect.stringContaining('200 times'),
    });
    const patient = await runStream({ path: '/list', connection: url, limits: { gzipRatio: 5000 } });
    expect(patient.end).toBeDefined();
  });

  it('fails if gzip is damaged or truncated', async () => {
    const whole = gzipSync(EMPTY_LIST);
    const cut = await answering((_, response) =>
      answer(response, whole.subarray(0, -12), { 'Content-Encoding': 'gzip' }),
    );
    expect((await list(cut)).error).toMatchObject({ type: 'transport', errno: 'truncated' });
    const broken = await answering((_, response) =>
      answer(response, EMPTY_LIST, { 'Content-Encoding': 'gzip' }),
    );
    expect((await list(broken)).error).toMatchObject({ type: 'protocol' });
  });

  it('rejects another content encoding or type', async () => {
    const brotli = await answering((_, response) =>
      answer(response, EMPTY_LIST, { 'Content-Encoding': 'br' }),
    );
    expect((await list(brotli)).error).toMatchObject({ type: 'protocol' });
    const page = await answering((_, response) =>
      answer(response, '<html>', { 'Content-Type': 'text/html' }),
    );
    expect((await list(page)).error).toMatchObject({
      type: 'protocol',
      message: expect.stringContaining('proxy'),
    });
  });

  it('reads a body without a content type as JSON', async () => {
    const url = await answering((_, response) => void response.end(EMPTY_LIST));
    expect((await list(url)).end).toMatchObject({ resourceVersion: '5' });
  });

  it('reads an endless error response up to a limit', async () => {
    const url = await answering((_, response) => {
      response.writeHead(500, { 'Content-Type': 'text/plain' });
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
      response.on('close', () => clearInterval(timer));
    });
    expect((await list(url)).error).toMatchObject({
      type: 'status',
      status: { code: 500, reason: 'InternalError' },
    });
  });

  it('reports the status code of an error response that is cut', async () => {
    const url = await answering((request, response) => {
      response.writeHead(403, { 'Content-Length': '1000' });
      response.write('forbid', () => request.socket.destroy());
    });
    expect((await list(url)).error).toMatchObject({
      type: 'status',
      status: { code: 403, reason: 'Forbidden' },
    });
  });

  it('fails if the response is not HTTP', async () => {
    const server = createTcpServer((socket) => void socket.end('hello\r\n\r\n'));
    expect((await list(await listen(server))).error).toMatchObject({
      type: 'transport',
      errno: expect.stringMatching(/^HPE_/),
    });
  });

  it('keeps the chunks of a body while its socket, and others, read on', async () => {
    const url = await answering((request, response) =>
      answer(response, Buffer.alloc(1024 * 1024, request.url ?? '', 'latin1')),
    );
    const client = new HttpClient();
    closers.push(() => client.close());
    const read = async (path: string): Promise<Buffer> => {
      const body = await client.open(taskOf({ path, connection: url }), new AbortController().signal);
      const chunks: Uint8Array[] = [];
      for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) chunks.push(chunk);
      return Buffer.concat(chunks);
    };
    const paths = Array.from({ length: 16 }, (_, i) => `/${'abcdefghijklmnop'[i]}`);
    const bodies = await Promise.all(paths.map(read));
    for (const [i, body] of bodies.entries()) {
      expect(body.equals(Buffer.alloc(1024 * 1024, paths[i]!, 'latin1')), paths[i]).toBe(true);
    }
  });

  it('reads many bodies at once of which some are never taken', async () => {
    const url = await answering((_, response) => answer(response, Buffer.alloc(1024 * 1024, 'x')));
    const client = new HttpClient();
    closers.push(() => client.close());
    const open = () => {
      const stop = new AbortController();
      closers.push(() => stop.abort());
      return client.open(taskOf({ path: '/', connection: url }), stop.signal);
    };
    const untaken = await Promise.all(Array.from({ length: 100 }, open));
    await expect.poll(() => untaken.every(({ heldBytes }) => heldBytes > 0)).toBe(true);
    const taken = await open();
    let bytes = 0;
    for (let chunk = await taken.read(); chunk !== undefined; chunk = await taken.read())
      bytes += chunk.length;
    expect(bytes).toBe(1024 * 1024);
    // Less than 64 KiB of each, because together they have read ahead more than they may.
    expect(untaken.reduce((sum, { heldBytes }) => sum + heldBytes, 0)).toBeLessThan(100 * 64 * 1024);
  });

  it('reads more than 512 MiB in bounded memory', async () => {
    const item = `{"metadata":{"name":"n","namespace":"ns","uid":"u","resourceVersion":"4"},"data":{"k":"${'x'.repeat(1 << 20)}"}}`;
    const chunk = Buffer.from(`${item},`);
    const count = 520;
    const url = await answering(async (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write(
        '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[',
      );
      for (let i = 1; i < count; i++) {
        if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end(`${item}]}`);
    });
    let longest = 0;
    const run = new StreamRun({
      path: '/list',
      connection: url,
      // The objects are not looked at, only counted.
      decoding: { drop: ['data'] },
    });
    const watching = setInterval(() => {
      longest = Math.max(longest, run.session.heldBytes);
    }, 10);
    await run.ended;
    clearInterval(watching);
    expect(run.error).toBeUndefined();
    expect(run.objects).toHaveLength(count);
    expect(longest).toBeLessThan(8 << 20);
  });
});

describe('the entry of a worker thread', () => {
  it('runs a stream over a port, and closes the port after the last message', async () => {
    const url = await answering((_, response) => answer(response, EMPTY_LIST));
    const { port1, port2 } = new MessageChannel();
    const messages: FromWorker[] = [];
    port1.on('message', (message: FromWorker) => messages.push(message));
    const closed = new Promise((resolve) => port1.on('close', resolve));
    await runInThread({ task: taskOf({ path: '/list', connection: url }), port: port2 });
    await closed;
    expect(messages.map(({ type }) => type)).toEqual(['open', 'begin', 'end']);
  });

  it('stops the stream when the main thread closes the port', async () => {
    let isClosed = false;
    const url = await answering((request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.flushHeaders();
      request.on('close', () => {
        isClosed = true;
      });
    });
    const { port1, port2 } = new MessageChannel();
    const task = taskOf({ verb: 'watch', path: '/watch', connection: url });
    const over = runInThread({ task, port: port2 });
    await new Promise((resolve) => port1.once('message', resolve));
    port1.close();
    await over;
    await expect.poll(() => isClosed).toBe(true);
  });

  it('starts the heartbeat at once', async () => {
    const heartbeat = new Int32Array(new SharedArrayBuffer(HEARTBEAT_SLOTS * Int32Array.BYTES_PER_ELEMENT));
    await startThread(heartbeat);
    const first = Atomics.load(heartbeat, HEARTBEAT_TICKS);
    expect(first).toBeGreaterThan(0);
    await expect.poll(() => Atomics.load(heartbeat, HEARTBEAT_TICKS)).toBeGreaterThan(first + 2);
  });
});
