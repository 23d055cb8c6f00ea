/** Engines that start at once, each with a cache of its own, as the pods of a DaemonSet do. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMeasuring } from './measure.js';
import { caughtUp, syncedPods } from './pods-informer.js';
import { kubeConfigOf, printResult, readTask } from './task.js';

const { snapshot, engines = 1, ...identity } = readTask();
const { directory, until, runMs = 0 } = snapshot ?? {};
const kubeConfig = kubeConfigOf(identity);
const measuring = startMeasuring();
const informers = await Promise.all(
  Array.from({ length: engines }, (_, i) =>
    syncedPods({
      kubeConfig,
      workers: 1,
      ...(directory !== undefined && { snapshot: { directory: join(directory, String(i)) } }),
    }),
  ),
);
const measured = await measuring.stop();
const warm = informers.filter(({ pods }) => pods.isWarm).length;
await sleep(runMs);
let final = { count: 0, digest: '' };
for (const informer of informers) {
  final = await caughtUp(informer, until);
  if (until !== undefined && final.digest !== until) break;
}
const [stats] = informers[0]?.engine.stats().informers ?? [];
await Promise.all(informers.map(({ engine }) => engine.close()));
printResult({ ...measured, encoding: stats?.encoding ?? 'json', warm, ...final });
