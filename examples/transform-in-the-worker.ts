/** Removes data that is not needed before it reaches the main thread, by functions that run in the worker. */

import { KubeConfig, type V1Secret } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();

const engine = new Engine({ kubeConfig });
const secrets = engine.informer<V1Secret>({
  apiVersion: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  hooks: new URL('./transform-in-the-worker-hooks.mjs', import.meta.url),
  indexers: { byDataKey: { hook: 'dataKeys' } },
});
secrets.start();
await secrets.synced;

for (const { metadata, data } of secrets.lister.byIndex('byDataKey', 'password')) {
  console.log(
    `${metadata?.name} has the keys ${Object.keys(data ?? {})} and the values ${Object.values(data ?? {})}`,
  );
}
await engine.close();
