/** The smallest informer: all pods of the cluster, and then every change. */

import { KubeConfig, type V1Pod } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();

const engine = new Engine({ kubeConfig });
const pods = engine.informer<V1Pod>({ apiVersion: 'v1', kind: 'Pod', plural: 'pods' });
pods.addEventHandler({
  onAdd: (pod) => console.log(`added ${pod.key}`),
  onUpdate: (_, pod) => console.log(`updated ${pod.key}`),
  onDelete: (pod) => console.log(`deleted ${pod.key}`),
});
pods.start();
await pods.synced;

console.log(`${pods.lister.entries().length} pods`);
await engine.close({ drain: true });
