import type * as ClientNode from '@kubernetes/client-node';
import { type EngineOptions, inCluster } from 'kubeflect';
import type { KubeConfigLike } from 'kubeflect/client-node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { base64, CredentialFixture, FAST_RETRIES } from '../support/credentials/credential-fixture.js';
import { CONFIG_MAPS } from '../support/engine/engine-fixture.js';
import type { ReceivedRequest } from '../support/servers/credential-checking-server.js';
import { CLIENT_NODE_VERSIONS } from '../support/source/client-node-versions.js';

const TOKEN = 'a-token-of-this-test';
const JWT = ['{}', JSON.stringify({ exp: 4_000_000_000 }), 'signature'].map(base64url).join('.');

let world: CredentialFixture;

beforeAll(async () => {
  world = await CredentialFixture.start({ hosts: ['127.0.0.1', 'kubernetes.test'] });
  await world.world.configMap('seen');
});
afterEach(() => world.reset());
afterAll(() => world[Symbol.asyncDispose]());

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

interface Kind {
  readonly kind: string;
  /** As in a kubeconfig. */
  readonly user?: () => object;
  readonly cluster?: () => object;
  readonly expected: Partial<ReceivedRequest>;
}

const bearer = { authorization: `Bearer ${TOKEN}` };
const certified = { certificate: 'jane' };

/** The kinds that a kubeconfig file can have. */
const IN_FILES: readonly Kind[] = [
  { kind: 'a bearer token', user: () => ({ token: TOKEN }), expected: bearer },
  {
    kind: 'user and password',
    user: () => ({ username: 'jane', password: 'pass:word' }),
    expected: { authorization: `Basic ${base64('jane:pass:word')}` },
  },
  {
    kind: 'a client certificate and key',
    user: () => {
      const { certificate, privateKey } = world.apiServer.certificateOf('jane');
      return { 'client-certificate-data': base64(certificate), 'client-key-data': base64(privateKey) };
    },
    expected: certified,
  },
  {
    kind: 'a client certificate and key in files',
    user: () => {
      const { certificate, privateKey } = world.apiServer.certificateOf('jane');
      return {
        'client-certificate': world.folder.write('client.crt', certificate),
        'client-key': world.folder.write('client.key', privateKey),
      };
    },
    expected: certified,
  },
  {
    kind: 'a certificate authority in a file',
    cluster: () => ({
      'certificate-authority': world.folder.write('ca.crt', world.ca),
      'certificate-authority-data': undefined,
    }),
    user: () => ({ token: TOKEN }),
    expected: bearer,
  },
  {
    kind: 'the token file of an auth provider',
    user: () => ({
      'auth-provider': {
        name: 'tokenFile',
        config: { tokenFile: world.folder.write('token', `${TOKEN}\n`) },
      },
    }),
    expected: bearer,
  },
  {
    kind: 'OIDC',
    user: () => ({ 'auth-provider': { name: 'oidc', config: { 'id-token': JWT } } }),
    expected: { authorization: `Bearer ${JWT}` },
  },
  {
    kind: 'impersonation',
    user: () => ({ token: TOKEN, as: 'jane' }),
    expected: { ...bearer, impersonation: { 'impersonate-user': ['jane'] } },
  },
  {
    kind: 'tls-server-name',
    cluster: () => ({ 'tls-server-name': 'kubernetes.test' }),
    user: () => ({ token: TOKEN }),
    expected: { ...bearer, serverName: 'kubernetes.test' },
  },
  {
    kind: 'insecure-skip-tls-verify',
    cluster: () => ({ 'insecure-skip-tls-verify': true, 'certificate-authority-data': undefined }),
    user: () => ({ token: TOKEN }),
    expected: bearer,
  },
];

function admit(expected: Partial<ReceivedRequest>): void {
  world.apiServer.authorize = (request) => {
    const names = Object.keys(expected) as (keyof ReceivedRequest)[];
    const isExpected = names.every(
      (name) => JSON.stringify(request[name]) === JSON.stringify(expected[name]),
    );
    return isExpected ? undefined : 401;
  };
}

let changes = 0;

/** Both the list and the watch must come through. */
async function mirror(options: Partial<EngineOptions>): Promise<void> {
  const informer = world.engine(options).informer(CONFIG_MAPS);
  await world.synced(informer);
  expect(informer.lister.get('default/seen')).toBeDefined();
  const name = `later-${++changes}`;
  await world.world.configMap(name);
  await expect.poll(() => informer.lister.get(`default/${name}`), { timeout: 10_000 }).toBeDefined();
}

describe.each(CLIENT_NODE_VERSIONS)('a KubeConfig of $name', ({ load }) => {
  let k8s: typeof ClientNode;

  beforeAll(async () => {
    k8s = await load();
  });

  function kubeConfigOf({ user = () => ({}), cluster = () => ({}) }: Partial<Kind>): ClientNode.KubeConfig {
    const kubeConfig = new k8s.KubeConfig();
    const authority = { 'certificate-authority-data': base64(world.ca) };
    kubeConfig.loadFromString(
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: world.apiServer.url, ...authority, ...cluster() } }],
        users: [{ name: 'u', user: user() }],
      }),
    );
    return kubeConfig;
  }

  it('is a KubeConfigLike', () => {
    const kubeConfig: KubeConfigLike = kubeConfigOf({});
    expect(kubeConfig.getCurrentCluster()?.server).toBe(world.apiServer.url);
  });

  it.each(IN_FILES)('with $kind is accepted', async ({ expected, ...kind }) => {
    admit(expected);
    await mirror({ kubeConfig: kubeConfigOf(kind) });
  });

  it('with another token is rejected', async () => {
    admit(bearer);
    const informer = world
      .engine({ kubeConfig: kubeConfigOf({ user: () => ({ token: 'other' }) }) })
      .informer(CONFIG_MAPS);
    await expect(world.synced(informer)).rejects.toMatchObject({
      code: 'KUBEFLECT_LIST_FAILED',
      cause: { code: 'KUBEFLECT_API_STATUS', status: { code: 401 } },
    });
  });

  it('with an added authenticator is accepted, and asks it again after a 401', async () => {
    admit(bearer);
    const kubeConfig = kubeConfigOf({});
    let asked = 0;
    kubeConfig.addAuthenticator({
      isAuthProvider: ({ name }) => name === 'u',
      applyAuthentication: async (_, options) => {
        Object.assign(options.headers ?? {}, {
          Authorization: `Bearer ${asked++ === 0 ? 'expired' : TOKEN}`,
        });
      },
    });
    await mirror({ kubeConfig });
    expect(asked).toBe(2);
  });

  it('impersonates groups and extra fields, which client-node does not support', async () => {
    const kubeConfig = kubeConfigOf({ user: () => ({ token: TOKEN, as: 'jane' }) });
    Object.assign(kubeConfig.getCurrentUser() ?? {}, {
      impersonateUid: '17',
      impersonateGroups: ['a', 'b'],
      impersonateUserExtra: { 'Example.com/scopes': ['view', 'edit'] },
    });
    admit({
      impersonation: {
        'impersonate-user': ['jane'],
        'impersonate-uid': ['17'],
        'impersonate-group': ['a', 'b'],
        'impersonate-extra-example.com%2fscopes': ['view', 'edit'],
      },
    });
    await mirror({ kubeConfig });
  });

  it('uses a token that the program sets later', async () => {
    const kubeConfig = kubeConfigOf({ user: () => ({ token: 'first' }) });
    admit({ authorization: 'Bearer first' });
    const informer = world.engine({ kubeConfig }).informer({ ...CONFIG_MAPS, ...FAST_RETRIES });
    await world.synced(informer);
    Object.assign(kubeConfig.getCurrentUser() ?? {}, { token: 'second' });
    admit({ authorization: 'Bearer second' });
    world.apiServer.dropConnections();
    const name = `later-${++changes}`;
    await world.world.configMap(name);
    await expect.poll(() => informer.lister.get(`default/${name}`), { timeout: 10_000 }).toBeDefined();
  });
});

describe('a connection', () => {
  it.each([
    ['a token file', () => ({ tokenFile: world.folder.write('own-token', TOKEN) }), bearer],
    ['plain headers', () => ({ headers: { Authorization: `Bearer ${TOKEN}` } }), bearer],
    ['a function that gives headers', () => ({ headers: () => bearer }), bearer],
    ['one that takes its time', () => ({ headers: async () => bearer }), bearer],
    [
      'a list of values',
      () => ({ headers: { ...bearer, 'Impersonate-User': 'jane', 'Impersonate-Group': ['a', 'b'] } }),
      { impersonation: { 'impersonate-user': ['jane'], 'impersonate-group': ['a', 'b'] } },
    ],
  ])('with %s is accepted', async (_, login, expected: Partial<ReceivedRequest>) => {
    admit(expected);
    await mirror({ connection: { server: world.apiServer.url, tls: { ca: world.ca }, ...login() } });
  });

  it('of a pod is accepted with its service account', async () => {
    const root = world.folder.path;
    world.folder.write('token', TOKEN);
    world.folder.write('ca.crt', world.ca);
    admit(bearer);
    const environment = {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(world.apiServer.port),
    };
    await mirror({ connection: inCluster({ root, environment }) });
  });
});
