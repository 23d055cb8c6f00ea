/** An informer of this project that may start with the cache of the process before, and leaves its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Engine } from 'kubeflect';
import { digestOf, startMeasuring } from './measure.js';
import { type Digest, kubeConfigOf, printResult, readTask } from './task.js';

const { snapshot, ...identity } = readTask();
const { directory, everyMs, until, runMs = 0 } = snapshot ?? {};
/** A cache that does not catch up is wrong; the caller compares the digest. */
const CATCH_UP_MS = 20_000;
const POLL_MS = 50;
const measuring = startMeasuring();
const engine = new Engine({
  kubeConfig: kubeConfigOf(identity),
  ...(directory !== undefined && {
    snapshot: { directory, ...(everyMs !== undefined && { everyMs }) },
  }),
});
const pods = engine.informer({ apiVersion: 'v1', kind: 'Pod', plural: 'pods' });
let added = 0;
const handler = pods.addEventHandler({
  onAdd() {
    added++;
  },
});
pods.start();
await pods.synced;
await handler.synced;
const synced = await measuring.stop();
const { isWarm } = pods;
const count = pods.indexer.size;
// A long run is measured by itself: what writing costs while objects change.
const running = runMs > 0 ? startMeasuring() : undefined;
await sleep(runMs);
const run = await running?.stop();
const [stats] = engine.stats().informers;
const digest = (): Digest =>
  digestOf(pods.lister.entries().map(({ key, uid, resourceVersion }) => ({ key, uid, resourceVersion })));
let final = digest();
for (let waitedMs = 0; until !== undefined && final.digest !== until && waitedMs < CATCH_UP_MS; ) {
  await sleep(POLL_MS);
  waitedMs += POLL_MS;
  final = digest();
}
if (runMs === 0 && added !== count)
  throw new Error(`the handler was called for ${added} of ${count} objects`);
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
