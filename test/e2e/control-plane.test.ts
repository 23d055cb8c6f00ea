import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { apiRequest } from '../controlplane/api-request.js';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { findFreePort, isPortFree } from '../controlplane/free-port.js';
import { Kubectl } from '../suites/kubectl/kubectl.js';

test('the control plane of the run is found by injection and by environment', () => {
  expect(process.env['KUBEFLECT_KUBECONFIG']).toBe(inject('kubeConfigs').admin);
});

describe('a control plane', () => {
  let controlPlane: ControlPlane;
  const kubectls: Kubectl[] = [];
  const kubectlAs = (user: keyof ControlPlane['kubeConfigs']): Kubectl => {
    const { binaries, kubeConfigs } = controlPlane;
    const kubectl = new Kubectl({ program: binaries.kubectl, kubeConfig: kubeConfigs[user] });
    kubectls.push(kubectl);
    return kubectl;
  };

  beforeAll(async () => {
    controlPlane = await startControlPlane();
  });

  afterAll(async () => {
    for (const kubectl of kubectls) kubectl.remove();
    await controlPlane.stop();
  });

  test.each([
    { user: 'admin', name: 'kubeflect-admin', group: 'system:masters', secrets: 'yes', create: 'yes' },
    {
      user: 'clientCertificate',
      name: 'kubeflect-certificate-user',
      group: 'kubeflect:certificate-users',
      secrets: 'yes',
      create: 'no',
    },
    {
      user: 'serviceAccount',
      name: 'system:serviceaccount:kubeflect-system:kubeflect',
      group: 'system:serviceaccounts:kubeflect-system',
      secrets: 'no',
      create: 'no',
    },
  ] as const)('knows $user as $name, with the rights it should have', async (expected) => {
    const kubectl = kubectlAs(expected.user);
    const { status } = await kubectl.json<{ status: { userInfo: { username: string; groups: string[] } } }>([
      'auth',
      'whoami',
    ]);
    expect(status.userInfo.username).toBe(expected.name);
    expect(status.userInfo.groups).toContain(expected.group);
    const namespaces = await kubectl.run(['get', 'namespaces', '-o', 'name']);
    expect(namespaces.split('\n')).toContain('namespace/default');
    const mayI = async (...question: string[]): Promise<string> =>
      (await kubectl.attempt(['auth', 'can-i', ...question])).stdout.trim();
    expect(await mayI('list', 'secrets', '-A')).toBe(expected.secrets);
    expect(await mayI('create', 'pods')).toBe(expected.create);
  });

  test('rejects anonymous requests, and has a certificate of its own authority', async () => {
    const url = `${controlPlane.url}/api/v1/namespaces`;
    const { ca } = controlPlane.admin;
    expect(await apiRequest({ url, credentials: { ca, token: 'wrong' } })).toMatchObject({ status: 401 });
    expect(await apiRequest({ url, credentials: { ca } })).toMatchObject({ status: 403 });
    const byName = url.replace('127.0.0.1', 'localhost');
    expect(await apiRequest({ url: byName, credentials: controlPlane.admin })).toMatchObject({ status: 200 });
  });

  test('issues service account tokens', async () => {
    const token = await controlPlane.requestServiceAccountToken(600);
    const credentials = { ca: controlPlane.admin.ca, token };
    expect(await apiRequest({ url: `${controlPlane.url}/api/v1/pods`, credentials })).toMatchObject({
      status: 200,
    });
  });

  test('keeps its data and its port when the API server stops or crashes and restarts', async () => {
    const kubectl = kubectlAs('admin');
    await kubectl.run(['create', 'configmap', 'kept', '--from-literal=a=1']);
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const before = controlPlane.processIds;
      expect(await controlPlane.stopApiServer({ signal })).toBe(signal === 'SIGKILL' ? 'killed' : 'ended');
      expect(controlPlane.processIds).toEqual({ apiServer: undefined, etcd: before.etcd });
      expect(await isPortFree(controlPlane.apiServer.port)).toBe(true);
      await controlPlane.startApiServer();
      expect(controlPlane.processIds.apiServer).not.toBe(before.apiServer);
      expect(await kubectl.run(['get', 'configmap', 'kept', '-o', 'jsonpath={.data.a}'])).toBe('1');
    }
  });

  test('shuts its API server down gracefully while a watch is open', async () => {
    const watch = kubectlAs('admin').start(['get', 'namespaces', '-w']);
    try {
      await watch.waitFor(/^default /m);
      expect(await controlPlane.stopApiServer()).toBe('ended');
    } finally {
      await watch.stop();
      await controlPlane.startApiServer();
    }
  });

  test('keeps its data when etcd restarts under the API server', async () => {
    await controlPlane.stopEtcd();
    expect(controlPlane.processIds.etcd).toBeUndefined();
    await controlPlane.startEtcd();
    const kubectl = kubectlAs('admin');
    expect(await kubectl.run(['get', 'configmap', 'kept', '-o', 'jsonpath={.data.a}'])).toBe('1');
  });

  test('starts its API server with additional flags', async () => {
    await controlPlane.stopApiServer();
    await controlPlane.startApiServer(['--feature-gates=WatchList=false']);
    const { text } = await apiRequest({
      url: `${controlPlane.url}/metrics`,
      credentials: controlPlane.admin,
    });
    expect(text).toMatch(/^kubernetes_feature_enabled\{name="WatchList",.*\} 0$/m);
  });

  test('leaves no process, no open port and no folder behind, and can be stopped repeatedly', async () => {
    const { processIds, ports, folder } = controlPlane;
    await Promise.all([controlPlane.stop(), controlPlane.stop()]);
    await controlPlane.stop();
    expect(Object.values(processIds).filter(isRunning)).toEqual([]);
    for (const port of Object.values(ports)) expect(await isPortFree(port)).toBe(true);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('a control plane that cannot start', () => {
  test('fails with the end of its log, and leaves nothing behind', async () => {
    const temporary = mkdtempSync(join(tmpdir(), 'kubeflect-test-'));
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(temporary, { recursive: true });
    });
    await expect(startControlPlane({ apiServerFlags: ['--no-such-flag'] })).rejects.toThrow(
      /kube-apiserver ended before it was ready[\s\S]*unknown flag: --no-such-flag/,
    );
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('retries with other ports when a port is in use', async () => {
    const taken = await findFreePort();
    const holder = createServer().listen(taken, '127.0.0.1');
    await once(holder, 'listening');
    const log: string[] = [];
    try {
      await expect(
        startControlPlane({ apiServerFlags: [`--secure-port=${taken}`], log: (line) => log.push(line) }),
      ).rejects.toThrow(/address already in use/);
    } finally {
      holder.close();
    }
    expect(log.filter((line) => line.includes('lost its port'))).toHaveLength(4);
  });
});

test('the servers exit with the process that started them, even when it is killed', async () => {
  const runner = fileURLToPath(new URL('../../dist-test/test/controlplane/main.js', import.meta.url));
  const starter = spawn(process.execPath, [runner, 'serve'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const text of starter.stdout.setEncoding('utf8')) {
    output += text;
    if (output.includes('Ctrl-C')) break;
  }
  const folder = /^folder +(\S+)$/m.exec(output)?.[1] ?? '';
  const processIds = ['etcd', 'kube-apiserver'].map((name) =>
    Number(readFileSync(join(folder, `${name}.pid`), 'utf8')),
  );
  expect(processIds.map(isRunning)).toEqual([true, true]);
  starter.kill('SIGKILL');
  await once(starter, 'exit');
  await expect.poll(() => processIds.map(isRunning), { timeout: 20_000 }).toEqual([false, false]);
  await expect
    .poll(() => existsSync(folder) || existsSync(`${folder}.ended`), { timeout: 20_000 })
    .toBe(false);
});

function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
