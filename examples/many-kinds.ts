/** Many informers share the worker threads and the connections of one engine. */

import { KubeConfig } from '@kubernetes/client-node';
import { Engine, waitForCacheSync } from 'kubeflect';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();

const engine = new Engine({ kubeConfig });
const informers = [
  { apiVersion: 'v1', kind: 'Pod', plural: 'pods' },
  { apiVersion: 'v1', kind: 'Service', plural: 'services' },
  { apiVersion: 'v1', kind: 'Node', plural: 'nodes' },
  { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
  { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs' },
].map((options) => engine.informer(options));
for (const informer of informers) informer.start();
await waitForCacheSync(informers);

for (const { name, objects } of engine.stats().informers) console.log(`${name}: ${objects}`);
await engine.close();
