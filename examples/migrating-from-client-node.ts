/** Code written for client-node's makeInformer: only the import line changes. More in docs/migrating.md. */

import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { makeInformer } from 'kubeflect/client-node';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const api = kubeConfig.makeApiClient(CoreV1Api);

const informer = makeInformer(kubeConfig, '/api/v1/namespaces/default/pods', () =>
  api.listNamespacedPod({ namespace: 'default' }),
);
informer.on('add', (pod) => console.log(`added ${pod.metadata?.name}`));
informer.on('error', (error) => console.error(error.message));
await informer.start();

console.log(informer.get('checkout-1', 'default')?.spec?.nodeName);
await informer.stop();
