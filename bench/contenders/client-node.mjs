/** The informer of @kubernetes/client-node, as its documentation shows it. */
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { digestOf, report, startMeasuring } from './measure.mjs';

const { kubeConfig: text, objects } = JSON.parse(process.argv[2] ?? '{}');
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
const measured = measure.stop();
const rows = informer.list().map(({ metadata }) => ({
  key: `${metadata?.namespace}/${metadata?.name}`,
  uid: metadata?.uid,
  resourceVersion: metadata?.resourceVersion,
}));
report({ ...measured, ...digestOf(rows) });
