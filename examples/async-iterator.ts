/** Changes as an iterator: it starts with the stored objects; a slow loop receives fewer states, merged by key. */

import { KubeConfig, type V1ConfigMap } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();

const engine = new Engine({ kubeConfig });
const configMaps = engine.informer<V1ConfigMap>({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespace: 'default',
});
configMaps.start();

for await (const event of configMaps.events()) {
  if (event.type === 'synced') console.log('from here on it is news');
  else if (event.type === 'delete') console.log(`${event.entry.name} is gone`);
  else console.log(`${event.type} ${event.entry.name}`);
  // Leaving the loop ends the iterator.
  if (event.type === 'update') break;
}
await engine.close();
