import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadKubeConfig } from '#dist/src/cli/kube-config/kube-config.js';

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
  KUBECONFIG: `${join(folder, 'first')}:${join(folder, 'nowhere')}:${join(folder, 'second/config')}`,
});

it('the current context is read as client-node reads it', () => {
  const file = join(folder, 'first');
  const theirs = new KubeConfig();
  theirs.loadFromFile(file);
  const ours = loadKubeConfig({ file });
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

it('several files are one: of two entries the first counts, paths are relative to their file, missing files are left out', () => {
  const chosen = loadKubeConfig({ environment: environment(), context: 'other' });
  expect(chosen.getCurrentCluster()).toMatchObject({
    server: 'https://west.example.com',
    skipTLSVerify: true,
  });
  expect(chosen.getCurrentUser()?.exec).toMatchObject({
    command: join(folder, 'second/bin/login'),
    args: ['--fast'],
  });
  expect(chosen.namespace).toBe('default');
  expect(loadKubeConfig({ environment: environment() }).getCurrentCluster()?.server).toBe(
    'https://east.example.com:6443',
  );
});

it('what is missing is named', () => {
  expect(() => loadKubeConfig({ environment: environment(), context: 'nobody' })).toThrow(
    /no entry "nobody" in contexts/,
  );
  expect(() => loadKubeConfig({ file: join(folder, 'first'), context: 'other' })).toThrow(
    /no entry "west" in clusters/,
  );
  expect(() => loadKubeConfig({ file: join(folder, 'nowhere') })).toThrow(/there is no kubeconfig/);
});
