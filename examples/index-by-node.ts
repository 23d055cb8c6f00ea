/** An index by a path, evaluated in the worker: the pods of one node without scanning all of them. */

import { KubeConfig, type V1Pod } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();

const engine = new Engine({ kubeConfig });
const pods = engine.informer<V1Pod>({
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  indexers: {
    byNode: 'spec.nodeName',
    // A function of your own runs on the main thread, and decodes the object.
    byImage: ({ object }) => object.spec?.containers.flatMap(({ image }) => image ?? []) ?? [],
  },
});
pods.start();
await pods.synced;

for (const node of pods.indexer.listIndexFuncValues('byNode').sort()) {
  const names = pods.lister.byIndex('byNode', node).map((pod) => pod.metadata?.name);
  console.log(`${node}: ${names.sort().join(', ')}`);
}
console.log(`${pods.lister.byIndex('byImage', 'example.com/cart:1').length} run example.com/cart:1`);
await engine.close();
