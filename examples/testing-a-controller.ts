/** The body of a test, for any runner: a controller against an embedded API server. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { CoreV1Api, KubeConfig, type V1ConfigMap } from '@kubernetes/client-node';
import { Engine, runController } from 'kubeflect';
import { startApiServer } from 'kubeflect/testing';

const server = await startApiServer();
const kubeConfig = new KubeConfig();
kubeConfig.loadFromString(server.kubeConfig);
const api = kubeConfig.makeApiClient(CoreV1Api);
const engine = new Engine({ kubeConfig, workers: 1 });

// The controller under test: it numbers what it sees.
const configMaps = engine.informer<V1ConfigMap>({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  labelSelector: 'numbered=true',
});
const numbered = new EventTarget();
const controller = runController({
  informer: configMaps,
  async reconcile(key) {
    const configMap = configMaps.lister.get(key);
    if (configMap?.metadata?.name === undefined || configMap.data?.['number'] !== undefined) return;
    await api.replaceNamespacedConfigMap({
      name: configMap.metadata.name,
      namespace: configMap.metadata.namespace ?? '',
      body: { ...configMap, data: { number: '1' } },
    });
    numbered.dispatchEvent(new Event('number'));
  },
});
await controller.synced;

// What it does when the watch breaks at the worst moment.
const told = once(numbered, 'number');
await server.faults.add({ match: { verb: 'watch' }, count: 1, fault: { type: 'cut', afterBytes: 100 } });
await server.closeWatches();
await server.create({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'one', namespace: 'default', labels: { numbered: 'true' } },
});
await told;

const one = await server.get({ apiVersion: 'v1', kind: 'ConfigMap', name: 'one', namespace: 'default' });
assert.deepEqual(one?.['data'], { number: '1' });
console.log('the controller survives a watch that is cut');

await controller.stop();
await engine.close();
await server.close();
