/** A program as client-node's documentation teaches it: prints what happens to pods, and starts its informer again after an error. Only the import line is ours. */

import * as k8s from './k8s.js';

const config = new k8s.KubeConfig();
config.loadFromDefault();

const api = config.makeApiClient(k8s.CoreV1Api);

const informer = k8s.makeInformer(config, '/api/v1/namespaces/default/pods', () =>
  api.listNamespacedPod({ namespace: 'default' }),
);

informer.on('add', (pod: k8s.V1Pod) => {
  console.log(`Added: ${pod.metadata?.name}`);
});
informer.on('update', (pod: k8s.V1Pod) => {
  console.log(`Updated: ${pod.metadata?.name}`);
});
informer.on('delete', (pod: k8s.V1Pod) => {
  console.log(`Deleted: ${pod.metadata?.name}`);
});
informer.on('error', (error: k8s.V1Pod) => {
  console.error(error);
  setTimeout(() => {
    void informer.start();
  }, 5000);
});

void informer.start();
