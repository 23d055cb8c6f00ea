import { describe, expect, it } from 'vitest';
import { AuthProvider } from '#dist/src/auth/kube-config/auth-provider.js';
import { type ClusterLike, KubeConfigSource, type UserLike } from '#dist/src/auth/kube-config/kube-config.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

interface Config {
  cluster: ClusterLike | null;
  user: UserLike | null;
  applyToHTTPSOptions?: (options: { headers?: Record<string, string>; cert?: string }) => Promise<void>;
}

function contextOf(config: Config, wallTime = () => 0): KubeConfigSource {
  const kubeConfig = {
    getCurrentCluster: () => config.cluster,
    getCurrentUser: () => config.user,
    ...(config.applyToHTTPSOptions && { applyToHTTPSOptions: config.applyToHTTPSOptions }),
  };
  return new KubeConfigSource(
    kubeConfig,
    new AuthProvider({ kubeConfig, clock: new VirtualClock(), wallTime }),
  );
}

const CLUSTER = { server: 'https://a:6443' };

describe('KubeConfigSource', () => {
  it('reads data and file names, with precedence for data', () => {
    const cluster = {
      ...CLUSTER,
      caData: base64('CA'),
      caFile: '/ca',
      tlsServerName: 'b',
      skipTLSVerify: false,
    };
    const user = { certData: base64('CERT'), keyFile: '/key', token: 'secret' };
    expect(contextOf({ cluster, user }).read()).toEqual({
      server: 'https://a:6443',
      headers: { authorization: 'Bearer secret' },
      tls: { ca: 'CA', cert: 'CERT', keyFile: '/key', serverName: 'b' },
    });
  });

  it('accepts a missing user and fields that are null', () => {
    expect(contextOf({ cluster: { ...CLUSTER, caData: null }, user: null }).read()).toEqual({
      server: 'https://a:6443',
      headers: {},
      tls: {},
    });
  });

  it('uses one of several credentials of a user', () => {
    const provider = { name: 'oidc', config: {} };
    const basic = { username: 'u', password: 'p' };
    const login = (user: UserLike) => {
      const { headers, tokenFile, identity } = contextOf({ cluster: CLUSTER, user }).read();
      return { headers, tokenFile, hasIdentity: identity !== undefined };
    };
    expect(login({ token: 't', tokenFile: '/t', authProvider: provider, ...basic })).toEqual({
      headers: { authorization: 'Bearer t' },
      hasIdentity: false,
    });
    expect(login({ tokenFile: '/t', authProvider: provider, ...basic })).toEqual({
      headers: {},
      tokenFile: '/t',
      hasIdentity: false,
    });
    expect(login({ authProvider: provider, ...basic })).toEqual({ headers: {}, hasIdentity: true });
    expect(login(basic)).toEqual({
      headers: { authorization: `Basic ${base64('u:p')}` },
      hasIdentity: false,
    });
  });

  it('rejects a current context that changes to another server', () => {
    const config: Config = { cluster: CLUSTER, user: {} };
    const context = contextOf(config);
    context.read();
    config.cluster = { server: 'https://b:6443' };
    expect(() => context.read()).toThrow(expect.objectContaining({ code: 'KUBEFLECT_CREDENTIALS_FAILED' }));
  });

  it('asks an auth provider again shortly before its token expires, and not before', async () => {
    let now = 1_000_000_000_000;
    let calls = 0;
    const config: Config = {
      cluster: CLUSTER,
      user: { authProvider: { name: 'oidc' } },
      applyToHTTPSOptions: async (options) => {
        const payload = Buffer.from(JSON.stringify({ exp: now / 1000 + 3600, calls: ++calls })).toString(
          'base64url',
        );
        options.headers = { ...options.headers, Authorization: `Bearer x.${payload}.y` };
      },
    };
    const context = contextOf(config, () => now);
    const ask = async (isUnauthorized = false) =>
      (await context.read().identity?.({ isUnauthorized }))?.headers;
    const first = await ask();
    now += 3_500_000;
    expect(await ask()).toEqual(first);
    now += 50_000;
    expect(await ask()).not.toEqual(first);
    expect(calls).toBe(2);
    await ask(true);
    expect(calls).toBe(3);
    // Another user has nothing to do with it.
    config.user = { authProvider: { name: 'oidc' } };
    await ask();
    expect(calls).toBe(4);
  });

  it('reports an auth provider that fails without its message, or that does not respond in time', async () => {
    const user = { authProvider: { name: 'oidc' } };
    const ask = (applyToHTTPSOptions: NonNullable<Config['applyToHTTPSOptions']>) =>
      contextOf({ cluster: CLUSTER, user, applyToHTTPSOptions }).read().identity?.({ isUnauthorized: false });
    const failing = async () => {
      throw Object.assign(new Error('refresh token was secret'), { code: 'OAUTH_INVALID' });
    };
    await expect(ask(failing)).rejects.toThrow(
      /^the auth provider of the kubeConfig failed: Error OAUTH_INVALID$/,
    );
    const identity = contextOf({ cluster: CLUSTER, user }).read().identity;
    await expect(identity?.({ isUnauthorized: false })).rejects.toThrow(/no applyToHTTPSOptions/);
  });
});
