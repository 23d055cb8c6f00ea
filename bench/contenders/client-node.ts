/** The informer of @kubernetes/client-node as documented there. */
import { loadClientNode } from './client-node-module.js';
import { digestOf, startMeasuring } from './measure.js';
import { printResult, readTask } from './task.js';

const { CoreV1Api, KubeConfig, makeInformer } = await loadClientNode();
const task = readTask();
const kubeConfig = new KubeConfig();
kubeConfig.loadFromString(task.kubeConfig);
const core = kubeConfig.makeApiClient(CoreV1Api);
const measuring = startMeasuring();
const informer = makeInformer(kubeConfig, '/api/v1/pods', () => core.listPodForAllNamespaces());
let added = 0;
const synced = new Promise<void>((resolve) => {
  informer.on('add', () => {
    if (++added === task.objects) resolve();
  });
});
informer.on('error', (error: unknown) => {
  console.error('client-node:', error instanceof Error ? error.message : error);
  process.exit(1);
});
await informer.start();
await synced;
const measured = await measuring.stop();
const rows = informer.list().map(({ metadata }) => ({
  key: `${metadata?.namespace}/${metadata?.name}`,
  uid: metadata?.uid,
  resourceVersion: metadata?.resourceVersion,
}));
// It has no protobuf.
printResult({ ...measured, encoding: 'json', ...digestOf(rows) });
