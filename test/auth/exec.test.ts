import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  base64,
  CredentialFixture,
  FAST_RETRIES,
  tokenOf,
} from '../support/credentials/credential-fixture.js';
import { ExecFolder } from '../support/credentials/exec-folder.js';
import { CONFIG_MAPS } from '../support/engine/engine-fixture.js';

let world: CredentialFixture;
let folder: ExecFolder;

beforeAll(async () => {
  world = await CredentialFixture.start();
});
afterEach(async () => {
  await world.reset();
  folder[Symbol.dispose]();
});
afterAll(() => world[Symbol.asyncDispose]());

function admitToken(number: number): void {
  world.apiServer.authorize = ({ authorization }) =>
    authorization === `Bearer ${tokenOf(number)}` ? undefined : 401;
}

function kubeConfigOf(exec: object): KubeConfig {
  const kubeConfig = new KubeConfig();
  const cluster = { server: world.apiServer.url, 'certificate-authority-data': base64(world.ca) };
  kubeConfig.loadFromString(
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { exec } }],
    }),
  );
  return kubeConfig;
}

describe('an exec plugin of a kubeconfig', () => {
  it.each(['v1', 'v1beta1'])('of %s returns the token', async (version) => {
    folder = new ExecFolder();
    folder.answer({ token: tokenOf(1) });
    admitToken(1);
    const apiVersion = `client.authentication.k8s.io/${version}`;
    const kubeConfig = kubeConfigOf(folder.plugin('answer', { apiVersion, interactiveMode: 'IfAvailable' }));
    await world.synced(world.engine({ kubeConfig, execPlugins: [process.execPath] }).informer(CONFIG_MAPS));
  });

  it('returns the client certificate', async () => {
    folder = new ExecFolder();
    const { certificate, privateKey } = world.apiServer.certificateOf('jane');
    folder.answer({ clientCertificateData: certificate, clientKeyData: privateKey });
    world.apiServer.authorize = ({ certificate: seen }) => (seen === 'jane' ? undefined : 401);
    await world.synced(
      world.engine({ kubeConfig: kubeConfigOf(folder.plugin('answer')) }).informer(CONFIG_MAPS),
    );
  });

  it('is run once for all streams, and once more for all after a 401', async () => {
    folder = new ExecFolder();
    folder.answer({ token: tokenOf(1) });
    admitToken(1);
    const engine = world.engine({ kubeConfig: kubeConfigOf(folder.plugin('answer')), workers: 2 });
    const informers = Array.from({ length: 10 }, (_, i) =>
      engine.informer({ ...CONFIG_MAPS, ...FAST_RETRIES, name: `informer ${i}` }),
    );
    for (const informer of informers) informer.start();
    await Promise.all(informers.map(({ synced }) => synced));
    const watches = () => world.apiServer.received.filter(({ path }) => path.includes('watch=true'));
    await expect.poll(() => watches().length, { timeout: 10_000 }).toBe(10);
    expect(folder.runs).toHaveLength(1);
    folder.answer({ token: tokenOf(2) });
    admitToken(2);
    world.apiServer.dropConnections();
    await world.world.configMap('after-refusal');
    const haveSeen = () => informers.every(({ lister }) => lister.get('default/after-refusal') !== undefined);
    await expect.poll(haveSeen, { timeout: 15_000 }).toBe(true);
    expect(folder.runs).toHaveLength(2);
    expect(world.world.errors).toEqual([]);
    expect(engine.metrics.text()).toMatch(/kubeflect_exec_plugin_runs_total\{outcome="done"\} 2/);
    expect(engine.metrics.text()).toMatch(/kubeflect_credentials_refreshes_total\{reason="unauthorized"\} 1/);
  });

  it('that is not allowed is never run', () => {
    folder = new ExecFolder();
    const kubeConfig = kubeConfigOf(folder.plugin('answer'));
    for (const execPlugins of ['deny', [], ['aws', 'node']] as const) {
      expect(() => world.engine({ kubeConfig, execPlugins })).toThrow(
        expect.objectContaining({ code: 'KUBEFLECT_OPTION_INVALID' }),
      );
    }
    expect(folder.runs).toEqual([]);
  });

  it('that fails is reported and retried, and the informer syncs when it succeeds', async () => {
    folder = new ExecFolder();
    const engine = world.engine({
      connection: { server: world.apiServer.url, tls: { ca: world.ca }, exec: folder.plugin('answer') },
    });
    const informer = engine.informer({ ...CONFIG_MAPS, ...FAST_RETRIES });
    informer.start();
    await expect.poll(() => world.world.errors.length, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(world.world.errors[0]).toMatchObject({
      code: 'KUBEFLECT_LIST_FAILED',
      cause: { code: 'KUBEFLECT_CREDENTIALS_FAILED', message: expect.stringContaining('exited with 1') },
    });
    folder.answer({ token: tokenOf(1) });
    await informer.synced;
  });
});
