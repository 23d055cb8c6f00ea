/** The engine of this project. */
import { Engine } from 'kubeflect';
import { digestOf, report, startMeasuring } from './measure.mjs';
import { kubeConfigOf, readTask } from './task.mjs';

const { cluster, user, workers, pageSize, list, decoder, encoding } = readTask();
const kubeConfig = kubeConfigOf({ cluster, user });
const measure = startMeasuring();
const engine = new Engine({ kubeConfig, ...(workers === undefined ? {} : { workers }) });
const pods = engine.informer({
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  ...(pageSize === undefined ? {} : { pageSize }),
  ...(list === undefined ? {} : { list }),
  ...(decoder === undefined ? {} : { advanced: { decoder } }),
  ...(encoding === undefined ? {} : { encoding }),
});
let added = 0;
const handler = pods.addEventHandler({
  onAdd() {
    added++;
  },
});
pods.start();
await pods.synced;
await handler.synced;
const measured = await measure.stop();
const [{ bytes, decoder: used, encoding: usedEncoding }] = engine.stats().informers;
const rows = pods.lister.entries().map(({ key, uid, resourceVersion }) => ({ key, uid, resourceVersion }));
if (added !== rows.length)
  throw new Error(`the handler was told of ${added} objects, the cache holds ${rows.length}`);
report({ ...measured, heldMB: bytes / 2 ** 20, decoder: used, encoding: usedEncoding, ...digestOf(rows) });
