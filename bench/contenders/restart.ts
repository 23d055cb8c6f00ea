/** An informer of this project that may start with the cache of the process before, and leaves its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startMeasuring } from './measure.js';
import { caughtUp, syncedPods } from './pods-informer.js';
import { defined, kubeConfigOf, printResult, readTask } from './task.js';

const { snapshot, ...identity } = readTask();
const { directory, everyMs, until, runMs = 0 } = snapshot ?? {};
const kubeConfig = kubeConfigOf(identity);
const measuring = startMeasuring();
const informer = await syncedPods({
  kubeConfig,
  ...(directory !== undefined && { snapshot: { directory, ...defined({ everyMs }) } }),
});
const synced = await measuring.stop();
const { engine, pods } = informer;
const { isWarm } = pods;
const count = pods.indexer.size;
// A long run is measured by itself: what writing costs while objects change.
const running = runMs > 0 ? startMeasuring() : undefined;
await sleep(runMs);
const run = await running?.stop();
const [stats] = engine.stats().informers;
const final = await caughtUp(informer, until);
if (runMs === 0 && informer.added !== count)
  throw new Error(`the handler was called for ${informer.added} of ${count} objects`);
const [, writes = '0'] = /snapshot_write_seconds_count\{[^}]*\} (\d+)/.exec(engine.metrics.text()) ?? [];
const [, seconds = '0'] = /snapshot_write_seconds_sum\{[^}]*\} ([\d.]+)/.exec(engine.metrics.text()) ?? [];
const [, bytes = '0'] = /snapshot_bytes\{[^}]*\} (\d+)/.exec(engine.metrics.text()) ?? [];
await engine.close();
printResult({
  ...synced,
  encoding: stats?.encoding ?? 'json',
  ...(run && { run }),
  isWarm,
  writes: Number(writes),
  writeSeconds: Number(seconds),
  fileMB: Number(bytes) / 2 ** 20,
  ...final,
});
