/** Authentication, authorization and rotation of credentials, on any server. */

import { inCluster } from 'kubeflect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CustomResource } from '../../conformance/harness/custom-resource.js';
import { randomName } from '../../conformance/harness/sandbox.js';
import { ExecFolder } from '../../support/credentials/exec-folder.js';
import { CredentialFixture } from './credential-fixture.js';
import type { CredentialTarget } from './credential-target.js';

export function describeCredentials(name: string, open: () => Promise<CredentialTarget>): void {
  // Concurrent, since a real server caches a revoked token for ten seconds.
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

    test('the rotation of the token file of a pod, with revocation of the old token, causes no list and no error', async () => {
      await using fixture = await CredentialFixture.open(target);
      const { user, token } = await reader();
      const { hostname, port } = new URL(target.server);
      fixture.folder.write('token', token);
      fixture.folder.write('ca.crt', target.ca);
      const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
      const pod = inCluster({ root: fixture.folder.path, environment });
      const informer = fixture.start(pod);
      await informer.synced;
      const renewed = await target.issueToken(user);
      fixture.folder.write('token', renewed);
      await target.revokeToken(token);
      fixture.cut();
      await fixture.create('after-rotation');
      await fixture.sees(informer, 'after-rotation');
      expect(fixture.errors).toEqual([]);
      expect(fixture.relists).toBe(0);
    });

    test('a watch continues when the token it was opened with is revoked', async () => {
      await using fixture = await CredentialFixture.open(target);
      const { token } = await reader();
      const informer = fixture.start({ headers: { authorization: `Bearer ${token}` } });
      await informer.synced;
      await fixture.create('before');
      await fixture.sees(informer, 'before');
      const { connections } = fixture;
      await target.revokeToken(token);
      await fixture.create('after');
      await fixture.sees(informer, 'after');
      expect(fixture.connections).toBe(connections);
    });

    test('a rejected token that cannot be renewed is reported as 401, and the cache stays readable', async () => {
      await using fixture = await CredentialFixture.open(target);
      const { user, token } = await reader();
      const tokenFile = fixture.folder.write('token', token);
      const informer = fixture.start({ tokenFile });
      await informer.synced;
      await fixture.create('kept');
      await fixture.sees(informer, 'kept');
      await target.revokeToken(token);
      fixture.cut();
      await fixture.refused(401);
      expect(informer.lister.get(`${fixture.ns.name}/kept`)).toBeDefined();
      fixture.folder.write('token', await target.issueToken(user));
      await fixture.create('later');
      await fixture.sees(informer, 'later');
    });

    test('a client certificate can be rotated in its files', async () => {
      await using fixture = await CredentialFixture.open(target);
      const users = [randomName('first'), randomName('second')];
      const write = (user = ''): { certFile: string; keyFile: string } => {
        const { certificate, privateKey } = target.issueCertificate(user);
        return {
          certFile: fixture.folder.write('client.crt', certificate),
          keyFile: fixture.folder.write('client.key', privateKey),
        };
      };
      const [first = '', second = ''] = users;
      await target.grant(first);
      await target.grant(second);
      const informer = fixture.start({ tls: { ca: target.ca, ...write(first) } });
      await informer.synced;
      write(second);
      // Clients that still use the first certificate are rejected.
      await target.withdraw(first);
      fixture.cut();
      await fixture.create('by-second');
      await fixture.sees(informer, 'by-second');
    });

    test('an exec plugin runs once, and again when its token is rejected', async () => {
      await using fixture = await CredentialFixture.open(target);
      using plugin = new ExecFolder();
      const { user, token } = await reader();
      plugin.answer({ token });
      const informer = fixture.start({ exec: plugin.plugin('answer', { provideClusterInfo: true }) });
      await informer.synced;
      expect(plugin.runs).toHaveLength(1);
      expect(plugin.runs[0]?.info.spec.cluster).toMatchObject({ server: target.server });
      plugin.answer({ token: await target.issueToken(user) });
      await target.revokeToken(token);
      fixture.cut();
      await fixture.create('after-refusal');
      await fixture.sees(informer, 'after-refusal');
      expect(plugin.runs).toHaveLength(2);
      expect(fixture.errors).toEqual([]);
      expect(fixture.relists).toBe(0);
    });

    test.each(['paged', 'stream'] as const)(
      'an informer without permission reports 403, and syncs when permission is granted (%s)',
      async (list) => {
        await using fixture = await CredentialFixture.open(target);
        const user = randomName('late');
        const token = await target.issueToken(user);
        await fixture.create('there');
        const informer = fixture.start({ headers: { authorization: `Bearer ${token}` } }, { list });
        await fixture.refused(403);
        expect(informer.hasSynced).toBe(false);
        await target.grant(user);
        await informer.synced;
        await fixture.sees(informer, 'there');
      },
    );

    test('an informer whose permission is withdrawn reports 403, keeps its cache readable, and catches up when permission is granted again', async () => {
      await using fixture = await CredentialFixture.open(target);
      const { user, token } = await reader();
      await fixture.create('kept');
      const informer = fixture.start({ headers: { authorization: `Bearer ${token}` } });
      await informer.synced;
      await target.withdraw(user);
      fixture.cut();
      await fixture.refused(403);
      await fixture.create('missed');
      expect(informer.lister.get(`${fixture.ns.name}/kept`)).toBeDefined();
      await target.grant(user);
      await fixture.sees(informer, 'missed');
    });

    test('an informer of an undefined custom resource reports 404, and syncs when the resource is defined', async () => {
      await using fixture = await CredentialFixture.open(target);
      const { token } = await reader();
      const widgets = new CustomResource(target.api);
      const { apiVersion } = widgets;
      const collection = { apiVersion, kind: 'Widget', plural: 'widgets' };
      const informer = fixture.start({ headers: { authorization: `Bearer ${token}` } }, collection);
      await fixture.refused(404);
      await widgets.create();
      await informer.synced;
      await widgets.served();
      await fixture.ns.create('widgets', widgets.widget('new'));
      await fixture.sees(informer, 'new');
      await widgets.remove();
    });
  });
}
