import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StreamEnvironment } from '#dist/workers/stream-session.js';
import { CredentialFixture } from '../support/credentials/credential-fixture.js';
import { runStream } from '../support/workers/stream-run.js';

let world: CredentialFixture;

beforeAll(async () => {
  world = await CredentialFixture.start();
});
afterAll(() => world[Symbol.asyncDispose]());

describe('connections', () => {
  it('are reused for another token, but not for another certificate', async () => {
    const environment = new StreamEnvironment();
    const tlsOf = (name: string) => {
      const { certificate, privateKey } = world.apiServer.certificateOf(name);
      return { ca: world.ca, cert: certificate, key: privateKey };
    };
    const [one, two] = [tlsOf('one'), tlsOf('two')];
    for (const [token, tls] of [
      ['a', one],
      ['b', one],
      ['b', two],
      ['c', two],
    ] as const) {
      const connection = {
        server: world.apiServer.url,
        headers: { authorization: `Bearer ${token}` },
        tls,
        origin: 'engine',
      };
      const run = await runStream({ path: '/api/v1/configmaps', connection }, environment);
      expect(run.error).toBeUndefined();
    }
    expect(
      world.apiServer.received.map(({ authorization, certificate, connection }) => [
        authorization,
        certificate,
        connection,
      ]),
    ).toEqual([
      ['Bearer a', 'one', 1],
      ['Bearer b', 'one', 1],
      ['Bearer b', 'two', 2],
      ['Bearer c', 'two', 2],
    ]);
    environment.httpClient.close();
  });

  it('of replaced settings are closed, busy ones when their request has ended', async () => {
    const open = new Set<Socket>();
    const answers: (() => void)[] = [];
    const server = createServer((request, response) => {
      const answer = () =>
        void response.end('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]}');
      if (request.url === '/slow') answers.push(answer);
      else answer();
    });
    server.on('connection', (socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const environment = new StreamEnvironment();
    const run = (path: string, serverName: string) =>
      runStream(
        { path, connection: { server: url, headers: {}, tls: { serverName }, origin: 'engine' } },
        environment,
      );
    const slow = run('/slow', 'old');
    await expect.poll(() => answers.length).toBe(1);
    await run('/', 'old');
    expect(open.size).toBe(2);
    await run('/', 'new');
    await expect.poll(() => open.size).toBe(2);
    for (const answer of answers) answer();
    await slow;
    await expect.poll(() => open.size).toBe(1);
    environment.httpClient.close();
    await expect.poll(() => open.size).toBe(0);
    server.close();
  });
});
