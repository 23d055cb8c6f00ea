/** An informer of this project. */
import { startMeasuring } from './measure.js';
import { syncedPods } from './pods-informer.js';
import { defined, kubeConfigOf, printResult, readTask } from './task.js';

const { workers, pageSize, list, decoder, encoding, shard, ...identity } = readTask();
const kubeConfig = kubeConfigOf(identity);
const measuring = startMeasuring();
const { engine, added, digest } = await syncedPods(
  { kubeConfig, ...defined({ workers }) },
  {
    ...defined({ pageSize, list, encoding, shard }),
    ...(decoder === undefined ? {} : { advanced: { decoder } }),
  },
);
const measured = await measuring.stop();
const [stats] = engine.stats().informers;
if (stats?.encoding === undefined) throw new Error('the informer is synced, and its encoding is unknown');
const final = digest();
if (added !== final.count)
  throw new Error(`the handler was called for ${added} objects, the cache holds ${final.count}`);
printResult({
  ...measured,
  heldMB: stats.bytes / 2 ** 20,
  decoder: stats.decoder,
  encoding: stats.encoding,
  ...final,
});
