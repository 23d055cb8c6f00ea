/** A custom resource, with a type of your own. */

import { KubeConfig } from '@kubernetes/client-node';
import { Engine, type KubernetesObject } from 'kubeflect';

interface Backup extends KubernetesObject {
  readonly spec: { readonly schedule: string; readonly volumes: readonly string[] };
}

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();

const engine = new Engine({ kubeConfig });
const backups = engine.informer<Backup>({
  apiVersion: 'example.com/v1',
  kind: 'Backup',
  plural: 'backups',
  indexers: { byVolume: 'spec.volumes' },
});
backups.start();
await backups.synced;

for (const { metadata, spec } of backups.lister.list()) console.log(`${metadata?.name} at ${spec.schedule}`);
console.log(`${backups.lister.byIndex('byVolume', 'data-0').length} save data-0`);
await engine.close();
