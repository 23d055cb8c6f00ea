/** The informer of @kubernetes/client-node, as its documentation shows it: 2.x where Node is new enough for it, 1.4 elsewhere. */
import { digestOf, report, startMeasuring } from './measure.mjs';
import { readTask } from './task.mjs';

const [major, minor] = process.versions.node.split('.').map(Number);
const isNew = major > 22 || (major === 22 && minor >= 19);
const { CoreV1Api, KubeConfig, makeInformer } = await import(
  isNew ? 'client-node-2' : '@kubernetes/client-node'
);
const { kubeConfig: text, objects } = readTask();
const kubeConfig = new KubeConfig();
kubeConfig.loadFromString(text);
const core = kubeConfig.makeApiClient(CoreV1Api);
const measure = startMeasuring();
const informer = makeInformer(kubeConfig, '/api/v1/pods', () => core.listPodForAllNamespaces());
let seen = 0;
const synced = new Promise((resolve) => {
  informer.on('add', () => {
    if (++seen === objects) resolve();
  });
});
informer.on('error', (error) => {
  console.error(`client-node: ${error?.message ?? error}`);
  process.exit(1);
});
await informer.start();
await synced;
const measured = await measure.stop();
const rows = informer.list().map(({ metadata }) => ({
  key: `${metadata?.namespace}/${metadata?.name}`,
  uid: metadata?.uid,
  resourceVersion: metadata?.resourceVersion,
}));
report({ ...measured, ...digestOf(rows) });
