/** An informer of this project. */
import { Engine } from 'kubeflect';
import { digestOf, startMeasuring } from './measure.js';
import { defined, kubeConfigOf, printResult, readTask } from './task.js';

const { workers, pageSize, list, decoder, encoding, shard, ...identity } = readTask();
const kubeConfig = kubeConfigOf(identity);
const measuring = startMeasuring();
const engine = new Engine({ kubeConfig, ...defined({ workers }) });
const pods = engine.informer({
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  ...defined({ pageSize, list, encoding, shard }),
  ...(decoder === undefined ? {} : { advanced: { decoder } }),
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
const measured = await measuring.stop();
const [stats] = engine.stats().informers;
if (stats?.encoding === undefined) throw new Error('the informer is synced, and its encoding is unknown');
const rows = pods.lister.entries().map(({ key, uid, resourceVersion }) => ({ key, uid, resourceVersion }));
if (added !== rows.length)
  throw new Error(`the handler was called for ${added} objects, the cache holds ${rows.length}`);
printResult({
  ...measured,
  heldMB: stats.bytes / 2 ** 20,
  decoder: stats.decoder,
  encoding: stats.encoding,
  ...digestOf(rows),
});
