import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import type { ConnectionSource, TransportError } from 'kubeflect';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { base64, CredentialFixture } from '../support/credentials/credential-fixture.js';
import { CONFIG_MAPS } from '../support/engine/engine-fixture.js';
import { type ProxyKind, TunnelProxy } from '../support/servers/tunnel-proxy.js';
import { runStream, StreamRun } from '../support/workers/stream-run.js';

const HOST = 'kube.test';
const TOKEN = 'a-token-of-this-test';
const LOGIN = { user: 'us:er', password: 'p@ss/wörd' };

let world: CredentialFixture;
let proxy: TunnelProxy | undefined;

beforeAll(async () => {
  world = await CredentialFixture.start({ hosts: [HOST] });
});
afterEach(async () => {
  await world.reset();
  await proxy?.[Symbol.asyncDispose]();
  proxy = undefined;
  vi.unstubAllEnvs();
});
afterAll(() => world[Symbol.asyncDispose]());

const KINDS: readonly ProxyKind[] = ['http', 'https', 'socks5'];

/** A name that only the proxy knows. */
async function startProxy(kind: ProxyKind, login: Partial<typeof LOGIN> = {}): Promise<TunnelProxy> {
  proxy = await TunnelProxy.start(kind, { ...login, routes: routes() });
  return proxy;
}

function routes(): Record<string, number> {
  return { [`${HOST}:6443`]: world.apiServer.port, [`${HOST}:8080`]: world.world.server.port };
}

function connection(through: TunnelProxy | undefined): ConnectionSource {
  return {
    server: `https://${HOST}:6443`,
    tls: { ca: world.ca + (through?.ca ?? '') },
    headers: { authorization: `Bearer ${TOKEN}` },
  };
}

async function mirror(source: ConnectionSource): Promise<void> {
  const informer = world.engine({ connection: source }).informer(CONFIG_MAPS);
  await world.synced(informer);
  const name = `later-${++changes}`;
  await world.world.configMap(name);
  await expect.poll(() => informer.lister.get(`default/${name}`), { timeout: 10_000 }).toBeDefined();
}

let changes = 0;

async function firstFailure(source: ConnectionSource): Promise<TransportError> {
  const informer = world.engine({ connection: source }).informer({ ...CONFIG_MAPS, list: 'paged' });
  return world.synced(informer).then(
    () => Promise.reject(new Error('synced')),
    (error: Error) => error.cause as TransportError,
  );
}

describe.each(KINDS)('a proxy of the kind %s', (kind) => {
  it('is used for lists and watches, with its own credentials', async () => {
    const through = await startProxy(kind, LOGIN);
    await mirror({ ...connection(through), proxyUrl: through.url });
    expect(new Set(through.targets)).toEqual(new Set([`${HOST}:6443`]));
    expect(world.apiServer.received.every(({ authorization }) => authorization === `Bearer ${TOKEN}`)).toBe(
      true,
    );
    // What is for the API server is not said to the proxy.
    expect(through.received).not.toContain(TOKEN);
  });

  it('supports a server without TLS', async () => {
    const through = await startProxy(kind);
    const run = await runStream({
      path: '/api/v1/configmaps',
      connection: {
        server: `http://${HOST}:8080`,
        headers: { authorization: `Bearer ${TOKEN}` },
        proxyUrl: through.url,
        ...(through.ca && { tls: { ca: through.ca } }),
      },
    });
    expect(run.types).toContain('end');
    expect(through.received).not.toContain(TOKEN);
  });

  it('that rejects the credentials is reported without quoting them', async () => {
    const through = await startProxy(kind, LOGIN);
    const url = new URL(through.url);
    url.password = 'wrong-password';
    const error = await firstFailure({ ...connection(through), proxyUrl: url.href });
    expect(error).toMatchObject({
      errno: 'EPROXY',
      message: expect.stringMatching(/another user or password/),
    });
    expect(JSON.stringify(error) + error.stack).not.toContain('wrong-password');
  });

  it('that cannot reach the server is reported', async () => {
    const through = await startProxy(kind);
    const error = await firstFailure({
      ...connection(through),
      server: 'https://else.test',
      proxyUrl: through.url,
    });
    expect(error).toMatchObject({
      errno: 'EPROXY',
      message: expect.stringMatching(/502|the host is unreachable/),
    });
    expect(through.targets).toEqual(['else.test:443']);
  });

  it("does not weaken the verification of the server's certificate", async () => {
    const through = await startProxy(kind);
    const { tls } = connection(through);
    const error = await firstFailure({
      ...connection(through),
      tls: { ...tls, serverName: 'elsewhere.test' },
      proxyUrl: through.url,
    });
    expect(error).toMatchObject({ errno: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('that never responds is given up after connectMs', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => {
      sockets.push(socket);
      socket.resume();
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const run = await runStream({
      path: '/',
      limits: { connectMs: 150 },
      connection: {
        server: `https://${HOST}:6443`,
        headers: {},
        proxyUrl: `${kind}://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      },
    });
    expect(run.error).toMatchObject({ type: 'transport', errno: 'ETIMEDOUT' });
    for (const socket of sockets)
      await expect.poll(() => socket.destroyed || socket.readableEnded).toBe(true);
    silent.close();
  });

  it('that responds with garbage, or closes the connection, is reported', async () => {
    const answers = ['nonsense\r\n\r\n', ''];
    const odd = createServer((socket) => void socket.end(answers.shift() ?? ''));
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    const proxyUrl = `${kind}://127.0.0.1:${(odd.address() as AddressInfo).port}`;
    for (let i = 0; i < 2; i++) {
      const run = await runStream({
        path: '/',
        connection: { server: `https://${HOST}`, headers: {}, proxyUrl },
      });
      expect(run.error).toMatchObject({ type: 'transport', message: expect.stringMatching(/proxy/) });
    }
    odd.close();
  });
});

it('a watch through a proxy is kept while it receives events', async () => {
  // The looks of the watchdog are delayed by what delays the events: a slow machine changes nothing.
  const watchStallMs = 800;
  const through = await Promise.all(KINDS.map((kind) => TunnelProxy.start(kind, { routes: routes() })));
  const runs = through.map((one) => {
    const { server, tls } = connection(one);
    return new StreamRun({
      verb: 'watch',
      path: '/api/v1/configmaps?watch=true',
      connection: { server, headers: {}, tls: { ca: tls?.ca ?? '' }, proxyUrl: one.url },
      limits: { watchStallMs },
    });
  });
  for (let waitedMs = 0; waitedMs < 1.5 * watchStallMs; waitedMs += 100) {
    await world.world.configMap(`alive-${waitedMs}`);
    // Changes come more often than the timeout, for longer than the timeout.
    await sleep(100);
  }
  for (const run of runs) {
    expect(run.error).toBeUndefined();
    run.session.stop();
    await run.ended;
  }
  for (const one of through) await one[Symbol.asyncDispose]();
});

describe('a proxy', () => {
  it('of a kubeconfig is used', async () => {
    const through = await startProxy('http');
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [
          {
            name: 'c',
            cluster: {
              server: `https://${HOST}:6443`,
              'certificate-authority-data': base64(world.ca),
              'proxy-url': through.url,
            },
          },
        ],
        users: [{ name: 'u', user: { token: TOKEN } }],
      }),
    );
    await world.synced(world.engine({ kubeConfig }).informer(CONFIG_MAPS));
    expect(through.targets.length).toBeGreaterThan(0);
  });

  it('of the environment is used', async () => {
    const through = await startProxy('http');
    vi.stubEnv('HTTPS_PROXY', through.url);
    await mirror(connection(through));
    expect(through.targets.length).toBeGreaterThan(0);
  });

  it('with an untrusted certificate is not used', async () => {
    const through = await startProxy('https', LOGIN);
    const error = await firstFailure({ ...connection(undefined), proxyUrl: through.url });
    expect(error).toMatchObject({
      message: expect.stringMatching(/^the proxy: /),
      errno: expect.stringMatching(/CERT|SIGN|ISSUER/),
    });
    expect(through.received).toBe('');
  });

  it('that refuses connections is reported as the proxy', async () => {
    const error = await firstFailure({
      ...connection(undefined),
      proxyUrl: 'http://user:secret@127.0.0.1:1',
    });
    expect(error).toMatchObject({ errno: 'ECONNREFUSED', message: expect.stringMatching(/^the proxy: /) });
    expect(error.message).not.toContain('secret');
  });

  it.each(['ftp://a', 'socks4://a', 'a', 'http://'])('%s is rejected', (proxyUrl) => {
    expect(() => world.engine({ connection: { ...connection(undefined), proxyUrl } })).toThrow(
      expect.objectContaining({ code: 'KUBEFLECT_OPTION_INVALID' }),
    );
  });
});
