/** Requests and caches only metadata: for owners, labels, counting. */

import { KubeConfig, type V1ConfigMap } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();

const engine = new Engine({ kubeConfig });
const configMaps = engine.informer<Pick<V1ConfigMap, 'metadata'>>({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  metadataOnly: true,
});
configMaps.start();
await configMaps.synced;

for (const { metadata } of configMaps.lister.list({ matchLabels: { app: 'shop' } })) {
  console.log(`${metadata?.name} ${JSON.stringify(metadata?.labels)}`);
}
await engine.close();
