import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from 'kubeflect/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ClientNodeAuthProvider } from '#dist/src/cli/kube-config/auth-provider.js';
import { runCli } from '../support/processes/cli.js';

/** A JSON web token that client-node can decode. */
function jwt(expiresInSeconds: number): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + expiresInSeconds;
  return `${encode({ alg: 'none' })}.${encode({ exp })}.signature`;
}

const TOKEN = jwt(3600);
const OIDC = { 'id-token': TOKEN, 'client-id': 'me', 'idp-issuer-url': 'http://127.0.0.1:1' };

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeflect-auth-provider-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the auth provider of a user in a kubeconfig', () => {
  it.each([
    ['oidc', OIDC],
    ['gcp', { 'access-token': TOKEN, expiry: '2999-01-01T00:00:00Z' }],
    ['azure', { 'access-token': TOKEN, 'expires-on': '32472144000' }],
  ])('is run by client-node: %s', async (name, config) => {
    const options = { headers: {} };
    await new ClientNodeAuthProvider({ name, config }).applyToHTTPSOptions(options);
    expect(options.headers).toEqual({ Authorization: `Bearer ${TOKEN}` });
  });

  it.each([
    ['a token that has expired', 'oidc', { 'id-token': jwt(-3600) }],
    ['no configuration', 'oidc', undefined],
    ['a name that client-node does not know', 'unheard-of', {}],
  ])('is named in the error if it returns no token: %s', async (_, name, config) => {
    const provider = new ClientNodeAuthProvider({ name, config });
    await expect(provider.applyToHTTPSOptions({ headers: {} })).rejects.toThrow(
      `the auth provider "${name}" of the kubeconfig returned no token`,
    );
  });

  it('logs the command in', async () => {
    const server = await startApiServer({ token: TOKEN });
    onTestFinished(() => server.close());
    const kubeConfig = JSON.parse(server.kubeConfig) as { users: { user: object }[] };
    for (const entry of kubeConfig.users) entry.user = { 'auth-provider': { name: 'oidc', config: OIDC } };
    const file = join(folder, 'oidc');
    writeFileSync(file, JSON.stringify(kubeConfig));
    const { code, stdout } = await runCli(['doctor', '--kubeconfig', file]);
    expect(stdout).toMatch(/^ok {4}may watch/m);
    expect(code).toBe(0);
  });

  it('is reported without its secrets if it fails', async () => {
    const config = { 'access-token': 's3cret-token', expiry: '2000-01-01T00:00:00Z' };
    const file = join(folder, 'gcp');
    const user = { 'auth-provider': { name: 'gcp', config } };
    writeFileSync(
      file,
      JSON.stringify({
        'current-context': 'shop',
        contexts: [{ name: 'shop', context: { cluster: 'east', user: 'jane' } }],
        clusters: [{ name: 'east', cluster: { server: 'http://127.0.0.1:1' } }],
        users: [{ name: 'jane', user }],
      }),
    );
    const { code, stdout, stderr } = await runCli(['doctor', '--kubeconfig', file]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL {2}credentials +the auth provider of the kubeConfig failed: Error$/m);
    expect(stdout + stderr).not.toContain('s3cret');
  });
});
