import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dumpYaml, KubeConfig } from '@kubernetes/client-node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoadedKubeConfig, loadKubeConfig } from '#dist/src/cli/kube-config/load-kube-config.js';

const FIRST = `
apiVersion: v1
kind: Config
current-context: shop
contexts:
- name: shop
  context: {cluster: east, user: jane, namespace: checkout}
- name: other
  context: {cluster: west, user: exec}
clusters:
- name: east
  cluster:
    server: https://east.example.com:6443
    certificate-authority: pki/ca.crt
    tls-server-name: kubernetes
    proxy-url: http://proxy.example.com:3128
users:
- name: jane
  user:
    token: abc
    client-certificate: pki/jane.crt
    client-key-data: a2V5
    as: root
`;

const SECOND = `
current-context: ignored
clusters:
- name: east
  cluster: {server: 'https://not-this-one'}
- name: west
  cluster:
    server: https://west.example.com
    insecure-skip-tls-verify: true
users:
- name: exec
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/login
      args: [--fast]
`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeflect-kubeconfig-'));
  mkdirSync(join(folder, 'second'));
  writeFileSync(join(folder, 'first'), FIRST);
  writeFileSync(join(folder, 'second/config'), SECOND);
});
afterAll(() => rmSync(folder, { recursive: true }));

const environment = () => ({
  KUBECONFIG: `${join(folder, 'first')}:${join(folder, 'missing')}:${join(folder, 'second/config')}`,
});

function load(source: string): Promise<LoadedKubeConfig> {
  const file = join(folder, 'config');
  writeFileSync(file, source);
  return loadKubeConfig({ file });
}

/** A kubeconfig with one context, whose user is written as `user` says: lines without indentation. */
function withUser(user: string): string {
  const lines = user.trimEnd().split('\n');
  return `
current-context: shop
contexts: [{name: shop, context: {cluster: east, user: jane}}]
clusters: [{name: east, cluster: {server: 'https://east.example.com'}}]
users:
- name: jane
  user:
${lines.map((line) => (line === '' ? '' : `    ${line}`)).join('\n')}
`;
}

describe('loadKubeConfig', () => {
  it('reads the current context as client-node does', async () => {
    const file = join(folder, 'first');
    const theirs = new KubeConfig();
    theirs.loadFromFile(file);
    const ours = await loadKubeConfig({ file });
    expect(ours.getCurrentCluster()).toMatchObject({
      server: theirs.getCurrentCluster()?.server,
      caFile: theirs.getCurrentCluster()?.caFile,
      tlsServerName: theirs.getCurrentCluster()?.tlsServerName,
      proxyUrl: theirs.getCurrentCluster()?.proxyUrl,
      skipTLSVerify: false,
    });
    expect(ours.getCurrentUser()).toMatchObject({
      token: theirs.getCurrentUser()?.token,
      certFile: theirs.getCurrentUser()?.certFile,
      keyData: theirs.getCurrentUser()?.keyData,
      impersonateUser: theirs.getCurrentUser()?.impersonateUser,
    });
    expect(ours.namespace).toBe('checkout');
  });

  it('merges files: the first entry wins, paths are relative to their file, missing files are skipped', async () => {
    const other = await loadKubeConfig({ environment: environment(), context: 'other' });
    expect(other.getCurrentCluster()).toMatchObject({
      server: 'https://west.example.com',
      skipTLSVerify: true,
    });
    expect(other.getCurrentUser()?.exec).toMatchObject({
      command: join(folder, 'second/bin/login'),
      args: ['--fast'],
    });
    expect(other.namespace).toBe('default');
    const current = await loadKubeConfig({ environment: environment() });
    expect(current.getCurrentCluster()?.server).toBe('https://east.example.com:6443');
  });

  it('names the context, the cluster or the file that is missing', async () => {
    await expect(loadKubeConfig({ environment: environment(), context: 'nobody' })).rejects.toThrow(
      /no entry "nobody" in contexts/,
    );
    await expect(loadKubeConfig({ file: join(folder, 'first'), context: 'other' })).rejects.toThrow(
      /no entry "west" in clusters/,
    );
    await expect(loadKubeConfig({ file: join(folder, 'missing') })).rejects.toThrow(/no kubeconfig found/);
    await expect(load('')).rejects.toThrow(/current-context is not set/);
  });
});

describe('the YAML of a kubeconfig', () => {
  it('is read as client-node reads it, in the form that kubectl writes', async () => {
    const source = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTi==
    server: https://10.0.0.1:6443   # the first one
  name: "kind # not a comment"
- cluster: {server: 'http://127.0.0.1:8080', insecure-skip-tls-verify: true}
  name: plain
contexts:
- context: {cluster: "kind # not a comment", user: kind-user}
  name: kind
current-context: kind
kind: Config
preferences: {}
users:
- name: kind-user
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      args: [eks, get-token, --cluster-name, "it's"]
      command: aws
      env: null
      installHint: |
        Install it:

          brew install aws
      interactiveMode: IfAvailable
      provideClusterInfo: false
`;
    const theirs = new KubeConfig();
    theirs.loadFromString(source);
    const ours = await load(source);
    expect(ours.getCurrentUser()?.exec).toEqual(theirs.getCurrentUser()?.exec);
    expect(ours.getCurrentCluster()).toMatchObject({
      server: 'https://10.0.0.1:6443',
      caData: 'LS0tLS1CRUdJTi==',
    });
  });

  it.each([
    ['a document mark', '---\n', 'token: abc', 'abc'],
    ['a byte order mark', '\uFEFF', 'token: abc', 'abc'],
    ['comments and empty lines', '# one\n\n', '# two\n\ntoken: abc # three', 'abc'],
    ['quoted keys', '', "\"token\": 'it''s'", "it's"],
    ['a value with a colon', '', 'token: b:c', 'b:c'],
    ['keys without a value', '', 'username:\ntoken: abc', 'abc'],
    ['a literal block', '', 'token: |-\n  one\n   two', 'one\n two'],
    ['a folded block', '', 'token: >-\n  one\n  two\n\n  three', 'one two\nthree'],
    ['escapes', '', 'token: "\\u00e4\\x41\\t\\\\"', 'äA\t\\'],
    ['a plain string on two lines', '', 'token: one\n  two', 'one two'],
    ['a quoted string on two lines', '', 'token: "one\n  two"', 'one two'],
    ['brackets on two lines', '', 'exec: {command: login,\n  args: [a,\n  b]}\ntoken: abc', 'abc'],
    ['an anchor and an alias', '', 'username: &name jane\ntoken: *name', 'jane'],
    ['a merge key', 'defaults: &defaults {token: abc}\n', '<<: *defaults', 'abc'],
    ['a standard tag', '', 'token: !!str 123', '123'],
    ['an unknown tag, which is ignored', '', 'token: !secret abc', 'abc'],
    ['a number, exactly as it is written', '', 'token: 012345678901234567890', '012345678901234567890'],
    ['a number with an exponent, as it is written', '', 'token: 1e10', '1e10'],
    ['a boolean where a string belongs', '', 'token: true', 'true'],
  ])('may have %s', async (_, head, user, token) => {
    const kubeConfig = await load(head + withUser(user).trimStart());
    expect(kubeConfig.getCurrentUser()?.token).toBe(token);
  });

  it('may have line ends of Windows, and may be JSON', async () => {
    const source = withUser('token: abc');
    const json = JSON.stringify(
      {
        'current-context': 'shop',
        contexts: [{ name: 'shop', context: { cluster: 'east' } }],
        clusters: [{ name: 'east', cluster: { server: 'https://east.example.com' } }],
      },
      undefined,
      '\t',
    );
    expect((await load(source.replaceAll('\n', '\r\n'))).getCurrentUser()?.token).toBe('abc');
    expect((await load(json)).getCurrentCluster()?.server).toBe('https://east.example.com');
  });

  it.each([
    ['a tab as indentation', '\ttoken: s3cret', /line \d+: tab as indent/],
    ['a quote that is not closed', 'token: "s3cret', /line \d+: missing char/],
    ['a duplicate key', 'token: abc\ntoken: s3cret', /line \d+: duplicate key/],
    ['an inconsistent indentation', '    a: 1\n  token: s3cret', /line \d+: /],
    ['text after a quoted string', 'token: "abc" s3cret', /line \d+: unexpected token/],
    ['an unknown escape', 'token: "s3cret\\q"', /line \d+: bad dq escape/],
    [
      'an anchor that contains itself',
      'exec: &s3cret\n  command: login\n  env: [*s3cret]',
      /an alias of itself/,
    ],
    ['an alias without an anchor', 'token: *s3cret', /an alias has no anchor/],
    ['a second document', 'token: abc\n\n---\ntoken: s3cret', /line \d+: /],
    ['brackets that are not closed', 'exec: {command: s3cret', /line \d+: /],
    ['nesting that exhausts the stack', `token: ${'['.repeat(20_000)}s3cret`, /line \d+: /],
  ])('is rejected for %s, without quoting it', async (_, user, reason) => {
    // A document mark must not be indented.
    const source = withUser(user).replace(/^ +---$/m, '---');
    const error = await load(source).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.message).toMatch(/is not valid YAML: /);
    expect(error?.message).toMatch(reason);
    expect(`${error?.stack} ${String(error?.cause)}`).not.toContain('s3cret');
  });

  it('is rejected for an alias bomb, at once', async () => {
    const levels = Array.from({ length: 30 }, (_, level) =>
      level === 0
        ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]'
        : `a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')}]`,
    );
    await expect(load(levels.join('\n'))).rejects.toThrow(/aliases expand too far/);
  });

  it('sets no prototype', async () => {
    const kubeConfig = await load(withUser('__proto__: {token: stolen}\nusername: jane'));
    expect(kubeConfig.getCurrentUser()?.token).toBeUndefined();
    expect(({} as { token?: string }).token).toBeUndefined();
  });

  it('keeps every string that js-yaml writes', async () => {
    const token = fc.oneof(
      fc.string({ minLength: 1, maxLength: 40 }),
      fc.constantFrom('true', 'null', '~', '1', '- a', 'a: b', '#', ' x ', "it's", 'a\nb', 'a\n\n b\n'),
    );
    await fc.assert(
      fc.asyncProperty(token, token, async (first, second) => {
        const source = dumpYaml({
          'current-context': 'shop',
          contexts: [{ name: 'shop', context: { cluster: 'east', user: 'jane', namespace: second } }],
          clusters: [{ name: 'east', cluster: { server: 'https://east.example.com' } }],
          users: [
            { name: 'jane', user: { token: first, exec: { command: 'login', args: [second, first] } } },
          ],
        });
        const kubeConfig = await load(source);
        expect(kubeConfig.getCurrentUser()?.token).toBe(first);
        expect(kubeConfig.getCurrentUser()?.exec).toEqual({ command: 'login', args: [second, first] });
        expect(kubeConfig.namespace).toBe(second);
      }),
      { numRuns: 300 },
    );
  });
});
