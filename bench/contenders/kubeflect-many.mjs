/** The engine of this project with an informer for each namespace. */
import { Engine } from 'kubeflect';
import { digestOf, report, startMeasuring } from './measure.mjs';
import { kubeConfigOf, readTask } from './task.mjs';

const { cluster, user, namespaces, workers } = readTask();
const kubeConfig = kubeConfigOf({ cluster, user });
const measure = startMeasuring();
const engine = new Engine({ kubeConfig, ...(workers === undefined ? {} : { workers }) });
let added = 0;
const informers = namespaces.map((namespace) => {
  const informer = engine.informer({ apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespace });
  informer.addEventHandler({
    onAdd() {
      added++;
    },
  });
  informer.start();
  return informer;
});
await Promise.all(informers.map(({ synced }) => synced));
const measured = await measure.stop();
const rows = informers.flatMap(({ lister }) =>
  lister.entries().map(({ key, uid, resourceVersion }) => ({ key, uid, resourceVersion })),
);
while (added < rows.length) await new Promise((resolve) => setTimeout(resolve, 1));
report({ ...measured, ...digestOf(rows) });
