/** An engine of this project with one informer per namespace. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Engine } from 'kubeflect';
import { digestOf, startMeasuring } from './measure.js';
import { defined, kubeConfigOf, printResult, readTask } from './task.js';

const { namespaces = [], workers, ...identity } = readTask();
const kubeConfig = kubeConfigOf(identity);
const measuring = startMeasuring();
const engine = new Engine({ kubeConfig, ...defined({ workers }) });
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
const measured = await measuring.stop();
const rows = informers.flatMap(({ lister }) =>
  lister.entries().map(({ key, uid, resourceVersion }) => ({ key, uid, resourceVersion })),
);
while (added < rows.length) await sleep(1);
const encodings = new Set(engine.stats().informers.map(({ encoding }) => encoding));
const [encoding] = encodings;
if (encoding === undefined || encodings.size > 1)
  throw new Error(`expected one encoding, got ${[...encodings].join(', ')}`);
printResult({ ...measured, encoding, ...digestOf(rows) });
