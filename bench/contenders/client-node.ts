/**
 * The informer of @kubernetes/client-node as documented there: 2.x where Node is new enough for it, otherwise 1.4.
 */
import type * as clientNode from '@kubernetes/client-node';
import { digestOf, startMeasuring } from './measure.js';
import { printResult, readTask } from './task.js';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNew = major > 22 || (major === 22 && minor >= 19);
// The parts used here are the same in both versions.
const { CoreV1Api, KubeConfig, makeInformer } = (await import(
  isNew ? 'client-node-2' : '@kubernetes/client-node'
)) as typeof clientNode;
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
