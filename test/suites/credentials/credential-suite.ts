/** What credentials must be good for, and how they change, on any server. */

import { inCluster } from 'kubeflect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CustomResource } from '../../conformance/harness/custom-resource.js';
import { randomName } from '../../conformance/harness/sandbox.js';
import { ExecFolder } from '../../support/credentials/exec-folder.js';
import { CredentialScene } from './credential-scene.js';
import type { CredentialTarget } from './credential-target.js';

export function describeCredentials(name: string, open: () => Promise<CredentialTarget>): void {
  // At the same time: a real server takes ten seconds to forget a token.
  describe.concurrent(name, () => {
    let target: CredentialTarget;

    beforeAll(async () => {
      target = await open();
    });
    afterAll(() => target?.close());

    async function reader(): Promise<{ user: string; token: string }> {
      const user = randomName('reader');
      await target.grant(user);
      return { user, token: await target.issueToken(user) };
    }

    test('the token file of a pod is rotated, and the old token revoked, without a list or an error', async () => {
      await using scene = await CredentialScene.open(target);
      const { user, token } = await reader();
      const { hostname, port } = new URL(target.server);
      scene.folder.write('token', token);
      scene.folder.write('ca.crt', target.ca);
      const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
      const pod = inCluster({ root: scene.folder.path, environment });
      const informer = scene.start(pod);
      await informer.synced;
      const renewed = await target.issueToken(user);
      scene.folder.write('token', renewed);
      await target.revokeToken(token);
      scene.cut();
      await scene.create('after-rotation');
      await scene.sees(informer, 'after-rotation');
      expect(scene.errors).toEqual([]);
      expect(scene.relists).toBe(0);
    });

    test('a watch goes on when the token it was opened with is revoked', async () => {
      await using scene = await CredentialScene.open(target);
      const { token } = await reader();
      const informer = scene.start({ headers: { authorization: `Bearer ${token}` } });
      await informer.synced;
      await scene.create('before');
      await scene.sees(informer, 'before');
      const { connections } = scene;
      await target.revokeToken(token);
      await scene.create('after');
      await scene.sees(informer, 'after');
      expect(scene.connections).toBe(connections);
    });

    test('a token that is refused and cannot be renewed is told as 401, and what is there stays readable', async () => {
      await using scene = await CredentialScene.open(target);
      const { user, token } = await reader();
      const tokenFile = scene.folder.write('token', token);
      const informer = scene.start({ tokenFile });
      await informer.synced;
      await scene.create('kept');
      await scene.sees(informer, 'kept');
      await target.revokeToken(token);
      scene.cut();
      await scene.refused(401);
      expect(informer.lister.get(`${scene.ns.name}/kept`)).toBeDefined();
      scene.folder.write('token', await target.issueToken(user));
      await scene.create('later');
      await scene.sees(informer, 'later');
    });

    test('a client certificate is rotated in its files', async () => {
      await using scene = await CredentialScene.open(target);
      const users = [randomName('first'), randomName('second')];
      const write = (user = ''): { certFile: string; keyFile: string } => {
        const { certificate, privateKey } = target.issueCertificate(user);
        return {
          certFile: scene.folder.write('client.crt', certificate),
          keyFile: scene.folder.write('client.key', privateKey),
        };
      };
      const [first = '', second = ''] = users;
      await target.grant(first);
      await target.grant(second);
      const informer = scene.start({ tls: { ca: target.ca, ...write(first) } });
      await informer.synced;
      write(second);
      // Whoever still comes with the first is sent away.
      await target.withdraw(first);
      scene.cut();
      await scene.create('by-second');
      await scene.sees(informer, 'by-second');
    });

    test('an exec plugin is run once, and once more when its token is refused', async () => {
      await using scene = await CredentialScene.open(target);
      using plugin = new ExecFolder();
      const { user, token } = await reader();
      plugin.answer({ token });
      const informer = scene.start({ exec: plugin.plugin('answer', { provideClusterInfo: true }) });
      await informer.synced;
      expect(plugin.runs).toHaveLength(1);
      expect(plugin.runs[0]?.info.spec.cluster).toMatchObject({ server: target.server });
      plugin.answer({ token: await target.issueToken(user) });
      await target.revokeToken(token);
      scene.cut();
      await scene.create('after-refusal');
      await scene.sees(informer, 'after-refusal');
      expect(plugin.runs).toHaveLength(2);
      expect(scene.errors).toEqual([]);
      expect(scene.relists).toBe(0);
    });

    test.each(['paged', 'stream'] as const)(
      'rights that come late: 403 until then, and then a sync (%s)',
      async (list) => {
        await using scene = await CredentialScene.open(target);
        const user = randomName('late');
        const token = await target.issueToken(user);
        await scene.create('there');
        const informer = scene.start({ headers: { authorization: `Bearer ${token}` } }, { list });
        await scene.refused(403);
        expect(informer.hasSynced).toBe(false);
        await target.grant(user);
        await informer.synced;
        await scene.sees(informer, 'there');
      },
    );

    test('rights that are withdrawn: 403, the cache stays readable, and when they come back it catches up', async () => {
      await using scene = await CredentialScene.open(target);
      const { user, token } = await reader();
      await scene.create('kept');
      const informer = scene.start({ headers: { authorization: `Bearer ${token}` } });
      await informer.synced;
      await target.withdraw(user);
      scene.cut();
      await scene.refused(403);
      await scene.create('missed');
      expect(informer.lister.get(`${scene.ns.name}/kept`)).toBeDefined();
      await target.grant(user);
      await scene.sees(informer, 'missed');
    });

    test('a custom resource that is not there yet: 404 until it is defined, and then a sync', async () => {
      await using scene = await CredentialScene.open(target);
      const { token } = await reader();
      const widgets = new CustomResource(target.api);
      const { apiVersion } = widgets;
      const collection = { apiVersion, kind: 'Widget', plural: 'widgets' };
      const informer = scene.start({ headers: { authorization: `Bearer ${token}` } }, collection);
      await scene.refused(404);
      await widgets.create();
      await informer.synced;
      await widgets.served();
      await scene.ns.create('widgets', widgets.widget('new'));
      await scene.sees(informer, 'new');
      await widgets.remove();
    });
  });
}
