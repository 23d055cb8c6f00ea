import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyConfigMaps, SOURCE_LABEL } from '../../examples/config-map-copier/copy-config-maps.js';
import { type ControlPlane, startControlPlane } from '../controlplane/control-plane.js';
import { Cli, runCli } from '../support/processes/cli.js';

/** A separate control plane: it is stopped, and has no streaming lists. */
let controlPlane: ControlPlane;
let folder: string;
let api: CoreV1Api;
let kubeConfig: KubeConfig;

beforeAll(async () => {
  controlPlane = await startControlPlane({ apiServerFlags: ['--feature-gates=WatchList=false'] });
  folder = mkdtempSync(join(tmpdir(), 'kubeflect-e2e-cli-'));
  kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(controlPlane.kubeConfigs.admin);
  api = kubeConfig.makeApiClient(CoreV1Api);
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await controlPlane.stop();
});

/** Writes a kubeconfig with an error. */
function spoilt(name: string, spoil: (text: string) => string): string {
  const file = join(folder, name);
  writeFileSync(file, spoil(readFileSync(controlPlane.kubeConfigs.serviceAccount, 'utf8')));
  return file;
}

/** All but a slow round trip, which depends on the machine. */
async function faults(file: string, ...args: string[]): Promise<(string | undefined)[]> {
  const { stdout } = await runCli(['doctor', ...args, '--json', '--kubeconfig', file]);
  const { findings } = JSON.parse(stdout) as {
    findings: { check: string; verdict: string; fault?: string }[];
  };
  return findings
    .filter(({ check, verdict }) => check !== 'round trip' && (verdict === 'fail' || verdict === 'warn'))
    .map(({ fault }) => fault);
}

describe('kubeflect doctor on a real API server', () => {
  test('reports a server without WatchList', async () => {
    expect(await faults(controlPlane.kubeConfigs.admin)).toEqual(['no-watch-list']);
  });

  test('reports a missing permission', async () => {
    expect(await faults(controlPlane.kubeConfigs.serviceAccount, 'secrets')).toEqual([
      'no-permission',
      'no-permission',
    ]);
  });

  test('reports a rejected token', async () => {
    // The signature is no longer valid.
    const file = spoilt('token', (text) =>
      text.replace(/(token"?:\s*"?[\w-]+\.[\w-]+\.)[\w-]{10}/, '$1AAAAAAAAAA'),
    );
    expect(await faults(file)).toEqual(['unauthorized']);
  });

  test('reports an expired token', async () => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'RS256' })}.${part({ exp: 1_700_000_000 })}.signature`;
    const file = spoilt('expired', (text) => text.replace(/(token"?:\s*"?)[\w.-]+/, `$1${token}`));
    expect(await faults(file)).toEqual(['expired-token']);
  });

  test('reports an untrusted certificate authority and an unreachable server', async () => {
    const noCa = spoilt('ca', (text) => {
      const config = JSON.parse(text) as { clusters: { cluster: Record<string, unknown> }[] };
      const [entry] = config.clusters;
      for (const name of ['certificate-authority', 'certificate-authority-data']) delete entry?.cluster[name];
      return JSON.stringify(config);
    });
    expect(await faults(noCa)).toEqual(['wrong-ca']);
    const dead = spoilt('dead', (text) => text.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'));
    expect(await faults(dead)).toEqual(['unreachable']);
  });
});

test('kubeflect watch and top show objects and their changes', async () => {
  const KUBECONFIG = controlPlane.kubeConfigs.admin;
  const watch = new Cli(['watch', 'configmaps', '-A', '-o', 'name'], { KUBECONFIG });
  await expect.poll(() => watch.stderr).toMatch(/^\d+ configmaps\n/);
  await api.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'news' } } });
  await expect.poll(() => watch.stdout).toContain('configmaps/default/news\n');
  watch.interrupt();
  expect(await watch.exited).toMatchObject({ code: 0 });
  const top = new Cli(['top', 'namespaces', '--interval', '200ms'], { KUBECONFIG });
  await expect.poll(() => top.stdout).toMatch(/^namespaces synced {2}objects [4-9]/m);
  top.interrupt();
  expect(await top.exited).toMatchObject({ code: 0 });
});

test('the example controller completes every copy when the API server is restarted', async () => {
  const source = { name: 'settings', namespace: 'default', labels: { [SOURCE_LABEL]: 'true' } };
  await api.createNamespacedConfigMap({
    namespace: 'default',
    body: { metadata: source, data: { colour: 'blue' } },
  });
  const engine = new Engine({ kubeConfig, workers: 1, onError: () => {} });
  const { controller } = copyConfigMaps(engine, api);
  const colours = async (): Promise<(string | undefined)[]> => {
    const { items } = await api.listConfigMapForAllNamespaces({ fieldSelector: 'metadata.name=settings' });
    return items.map(({ data }) => data?.['colour']);
  };
  const count = (await api.listNamespace()).items.length;
  try {
    await expect.poll(colours).toEqual(Array.from({ length: count }, () => 'blue'));
    await controlPlane.stopApiServer({ signal: 'SIGKILL' });
    await controlPlane.startApiServer();
    const body = { metadata: source, data: { colour: 'green' } };
    await expect
      .poll(
        () =>
          api.replaceNamespacedConfigMap({ namespace: 'default', name: 'settings', body }).then(
            () => true,
            () => false,
          ),
        { timeout: 30_000 },
      )
      .toBe(true);
    await api.createNamespace({ body: { metadata: { name: 'late' } } });
    await expect.poll(colours, { timeout: 60_000 }).toEqual(Array.from({ length: count + 1 }, () => 'green'));
    await expect.poll(() => [controller.queue.length, controller.queue.processing]).toEqual([0, 0]);
  } finally {
    await controller.stop();
    await engine.close();
  }
});
