import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConnectionSource } from 'kubeflect';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CredentialFixture, FAST_RETRIES, tokenOf } from '../support/credentials/credential-fixture.js';
import { CONFIG_MAPS, type Collection } from '../support/engine/engine-fixture.js';

/** Requests are counted: a streaming list that failed would be a list's first. */
const LISTED: Collection = { ...CONFIG_MAPS, list: 'paged' };

let world: CredentialFixture;

beforeAll(async () => {
  world = await CredentialFixture.start();
});
afterEach(() => world.reset());
afterAll(() => world[Symbol.asyncDispose]());

const connection = (login: Partial<ConnectionSource>): ConnectionSource => ({
  server: world.apiServer.url,
  tls: { ca: world.ca },
  ...login,
});

function admitToken(number: number): void {
  world.apiServer.authorize = ({ authorization }) =>
    authorization === `Bearer ${tokenOf(number)}` ? undefined : 401;
}

const codesOf = (): unknown[] =>
  world.world.errors.map(({ cause }) => (cause as { status?: { code?: number } }).status?.code);

describe('a 401', () => {
  it('is retried once with other credentials, without an error', async () => {
    const asked: boolean[] = [];
    const headers: ConnectionSource['headers'] = ({ isUnauthorized }) => {
      asked.push(isUnauthorized);
      return { authorization: `Bearer ${tokenOf(isUnauthorized ? 2 : 1)}` };
    };
    admitToken(2);
    const informer = world.engine({ connection: connection({ headers }) }).informer(LISTED);
    await world.synced(informer);
    expect(asked.slice(0, 2)).toEqual([false, true]);
    expect(world.world.errors).toEqual([]);
  });

  it('to renewed credentials is reported, and retried with backoff', async () => {
    admitToken(3);
    const tokens = [1, 2];
    const headers = () => ({ authorization: `Bearer ${tokenOf(tokens.shift() ?? 3)}` });
    const informer = world
      .engine({ connection: connection({ headers }) })
      .informer({ ...LISTED, ...FAST_RETRIES });
    informer.start();
    await informer.synced;
    expect(codesOf()).toEqual([401]);
    expect(world.apiServer.received.slice(0, 3).map(({ authorization }) => authorization)).toEqual(
      [1, 2, 3].map((number) => `Bearer ${tokenOf(number)}`),
    );
  });

  it('to credentials that cannot change is not retried immediately', async () => {
    admitToken(2);
    const headers = { authorization: `Bearer ${tokenOf(1)}` };
    const informer = world.engine({ connection: connection({ headers }) }).informer(LISTED);
    await expect(world.synced(informer)).rejects.toMatchObject({ code: 'KUBEFLECT_LIST_FAILED' });
    expect(world.apiServer.received).toHaveLength(1);
  });

  it('does not end an open watch, whatever has expired', async () => {
    const tokenFile = world.folder.write('expiring', tokenOf(1));
    admitToken(1);
    const informer = world.engine({ connection: connection({ tokenFile }) }).informer(LISTED);
    await world.synced(informer);
    const isWatched = () => world.apiServer.received.some(({ path }) => path.includes('watch=true'));
    await expect.poll(isWatched).toBe(true);
    world.apiServer.authorize = () => 401;
    const requests = world.apiServer.received.length;
    await world.world.configMap('after-expiry');
    await expect.poll(() => informer.lister.get('default/after-expiry')).toBeDefined();
    expect(world.apiServer.received).toHaveLength(requests);
  });
});

describe('a connection function', () => {
  it('that fails occasionally only delays a list, and its message is not reported', async () => {
    for (let i = 0; i < 30; i++) await world.world.configMap(`page-${i}`);
    let asked = 0;
    const source = connection({});
    const engine = world.engine({
      connection: () => {
        if (asked++ % 4 === 0) throw new Error('secret');
        return source;
      },
    });
    const informer = engine.informer({ ...LISTED, ...FAST_RETRIES, pageSize: 2 });
    informer.start();
    await informer.synced;
    expect(asked).toBeGreaterThan(15);
    expect(world.world.errors.length).toBeGreaterThan(0);
    for (const { cause } of world.world.errors) {
      expect(cause).toMatchObject({
        code: 'KUBEFLECT_CREDENTIALS_FAILED',
        message: 'the connection function failed: Error',
      });
    }
  });
});

describe('credential files', () => {
  it('that do not exist yet are retried', async () => {
    const tokenFile = `${world.folder.path}/late`;
    const engine = world.engine({ connection: connection({ tokenFile }) });
    const informer = engine.informer({ ...LISTED, ...FAST_RETRIES });
    informer.start();
    await expect.poll(() => world.world.errors.length).toBeGreaterThan(0);
    expect(world.world.errors[0]).toMatchObject({
      code: 'KUBEFLECT_LIST_FAILED',
      cause: { code: 'KUBEFLECT_CREDENTIALS_FAILED', message: expect.stringContaining(tokenFile) },
    });
    expect(world.apiServer.received).toEqual([]);
    world.folder.write('late', tokenOf(1));
    await informer.synced;
  });

  it('that become unreadable leave the last valid ones in use, and are reported', async () => {
    const tokenFile = world.folder.write('broken', tokenOf(1));
    const caFile = world.folder.write('broken-ca', world.ca);
    admitToken(1);
    const engine = world.engine({ connection: connection({ tokenFile, tls: { caFile } }) });
    const informer = engine.informer({ ...LISTED, ...FAST_RETRIES });
    await world.synced(informer);
    world.folder.write('broken', '\n');
    world.folder.write('broken-ca', 'no certificate');
    for (const name of ['once-more', 'and-again', 'and-yet-again']) {
      world.apiServer.dropConnections();
      await world.world.configMap(name);
      await expect.poll(() => informer.lister.get(`default/${name}`), { timeout: 10_000 }).toBeDefined();
    }
    expect(world.world.errors.map(({ code, message }) => [code, message]).sort()).toEqual([
      ['KUBEFLECT_CREDENTIALS_FAILED', expect.stringMatching(/broken-ca holds no PEM certificate/)],
      ['KUBEFLECT_CREDENTIALS_FAILED', expect.stringMatching(/token file .*broken is empty/)],
    ]);
  });
});

describe('an error response', () => {
  it('403 is reported, and the informer syncs when the permission is granted', async () => {
    world.apiServer.authorize = () => 403;
    const engine = world.engine({ connection: connection({}) });
    const informer = engine.informer({ ...LISTED, ...FAST_RETRIES });
    informer.start();
    await expect.poll(() => world.apiServer.received.length).toBeGreaterThan(2);
    // Once, not for every attempt.
    expect(codesOf()).toEqual([403]);
    world.apiServer.authorize = () => undefined;
    await informer.synced;
  });

  it('403 of a streaming list is reported, and it is streamed when the permission is granted', async () => {
    world.apiServer.authorize = () => 403;
    const engine = world.engine({ connection: connection({}) });
    const informer = engine.informer({ ...CONFIG_MAPS, ...FAST_RETRIES, list: 'stream' });
    informer.start();
    await expect.poll(() => world.apiServer.received.length).toBeGreaterThan(8);
    expect(codesOf()).toEqual([403]);
    world.apiServer.authorize = ({ path }) => (path.includes('sendInitialEvents=true') ? undefined : 403);
    await informer.synced;
  });

  it('403 of the watch alone leaves the list readable, and the watch is retried', async () => {
    world.apiServer.authorize = ({ path }) => (path.includes('watch=true') ? 403 : undefined);
    const engine = world.engine({ connection: connection({}) });
    const informer = engine.informer({ ...LISTED, ...FAST_RETRIES });
    informer.start();
    await informer.synced;
    await expect.poll(() => codesOf()).toContain(403);
    world.apiServer.authorize = () => undefined;
    await world.world.configMap('after-permission');
    await expect.poll(() => informer.lister.get('default/after-permission')).toBeDefined();
  });

  it('404 of a custom resource is reported, and the informer syncs when it is defined', async () => {
    const engine = world.engine({ connection: connection({}) });
    const widgets = { apiVersion: 'late.kubeflect.dev/v1', kind: 'Widget', plural: 'widgets' };
    const informer = engine.informer({ ...widgets, ...FAST_RETRIES });
    informer.start();
    await expect.poll(() => codesOf()).toContain(404);
    await world.world.define('late.kubeflect.dev', 'Widget');
    await informer.synced;
  });

  it('that quotes the credentials is reported without them', async () => {
    const server = createServer((request, response) => {
      const { authorization } = request.headers;
      const message = `no such user: ${authorization}`;
      const status = { kind: 'Status', status: 'Failure', message, reason: 'Forbidden', code: 403 };
      const isText = request.url?.includes('configmaps') === true;
      response.writeHead(403).end(isText ? message : JSON.stringify(status));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const headers = { authorization: `Bearer ${tokenOf(1)}` };
    const engine = world.engine({ connection: { server: url, headers } });
    for (const plural of ['configmaps', 'others']) engine.informer({ ...LISTED, plural }).start();
    await expect.poll(() => world.world.errors.length).toBe(2);
    for (const { message } of world.world.errors) {
      expect(message).toContain('no such user: Bearer [redacted]');
    }
    server.close();
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308] as const)('%d is never followed', async (code) => {
    let requests = 0;
    const elsewhere = createServer((_, response) => {
      requests++;
      response.end('{}');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const location = `http://localhost:${(elsewhere.address() as AddressInfo).port}/api/v1/configmaps`;
    await world.world.server.faults.add({ fault: { type: 'redirect', code, location } });
    const headers = { authorization: `Bearer ${tokenOf(1)}` };
    const informer = world.engine({ connection: connection({ headers }) }).informer(LISTED);
    await expect(world.synced(informer)).rejects.toMatchObject({
      message: expect.stringContaining('a redirect; redirects are not followed'),
    });
    expect(requests).toBe(0);
    expect(world.apiServer.received).toHaveLength(1);
    elsewhere.close();
  });
});
