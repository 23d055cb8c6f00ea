/** How `owns` finds the controllers of children, with any API server that a kubeconfig names. */

import { KubeConfig } from '@kubernetes/client-node';
import { Engine, type KubernetesObject, runController } from 'kubeflect';
import { controllerUid, setControllerReference } from 'kubeflect/controller';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configMap, type KubeObject, pod } from '../../conformance/harness/objects.js';
import { Sandbox } from '../../conformance/harness/sandbox.js';
import type { InformerTarget } from '../informers/informer-target.js';

const OWNERS = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', labelSelector: 'role=owner' };
const FINALIZER = 'example.com/wait';

const secret: typeof configMap = (name, extra) => ({ ...configMap(name, extra), kind: 'Secret' });

export function describeOwns(name: string, open: () => Promise<InformerTarget>): void {
  describe(name, () => {
    let target: InformerTarget;
    let ns: Sandbox;
    let engine: Engine;

    beforeAll(async () => {
      target = await open();
      ns = await Sandbox.open(target.api);
      const kubeConfig = new KubeConfig();
      kubeConfig.loadFromString(target.kubeConfig);
      engine = new Engine({ kubeConfig, workers: 1 });
    });
    afterAll(async () => {
      await engine.close();
      await ns.close();
      await target.close();
    });

    const createOwner = (owner: string): Promise<KubeObject> =>
      ns.create('configmaps', configMap(owner, { metadata: { labels: { role: 'owner' } } }));

    test.each([
      ['pods', 'Pod', 'protobuf', pod],
      ['secrets', 'Secret', 'json', secret],
    ] as const)('of %s finds the former and the next controller of each child (%s in %s)', async (...row) => {
      const [plural, kind, encoding, manifest] = row;
      const [from, to] = [await createOwner(`${plural}-from`), await createOwner(`${plural}-to`)];
      const children = engine.informer({
        apiVersion: 'v1',
        kind,
        plural,
        encoding,
        namespace: ns.name,
        indexers: { controller: controllerUid },
      });
      const keys = new Set<string>();
      const controller = runController({
        informer: engine.informer({ ...OWNERS, namespace: ns.name }),
        owns: [{ informer: children }],
        filter: ({ name: owner }) => owner.startsWith(plural),
        reconcile: (key) => void keys.add(key.replace(`${ns.name}/${plural}-`, '')),
      });
      await controller.synced;
      const reconciled = async (...expected: string[]): Promise<void> => {
        await expect.poll(() => [...keys].sort()).toEqual(expected);
        keys.clear();
      };
      await reconciled('from', 'to');

      const path = ns.path(plural, 'child');
      const child: KubernetesObject = { metadata: { name: 'child', namespace: ns.name } };
      const ownedBy = (owner: KubeObject): KubernetesObject => setControllerReference(owner, child);
      await ns.create(plural, manifest('orphan'));
      await ns.create(plural, manifest('child', { metadata: { ...ownedBy(from).metadata } }));
      await reconciled('from');
      expect(children.lister.controlledBy(from).map(({ metadata }) => metadata?.name)).toEqual(['child']);
      await ns.change(path, { metadata: { finalizers: [FINALIZER] } });
      await reconciled('from');
      await ns.change(path, { metadata: ownedBy(to).metadata });
      await reconciled('from', 'to');
      await ns.delete(path, { query: { gracePeriodSeconds: 0 } });
      await reconciled('to');
      await ns.change(path, { metadata: { finalizers: null } });
      await reconciled('to');
      expect(children.lister.controlledBy(to)).toEqual([]);
      await controller.stop();
    });
  });
}
