/** Only some namespaces, each with its own watch: for programs that may not read the complete cluster. */

import { KubeConfig, type V1Pod } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();

const engine = new Engine({ kubeConfig });
const pods = engine.informer<V1Pod>({
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespace: ['shop', 'billing'],
});
pods.start();
await pods.synced;

for (const namespace of ['billing', 'shop', 'secret']) {
  console.log(`${namespace}: ${pods.lister.byNamespace(namespace).list().length}`);
}
await engine.close();
