/** The engine of this project, kept running: says what it holds when it is asked. */
import { KubeConfig } from '@kubernetes/client-node';
import { Engine } from 'kubeflect';
import { digestOf } from './measure.mjs';

const { kubeConfig: text, workers } = JSON.parse(process.argv[2] ?? '{}');
const kubeConfig = new KubeConfig();
kubeConfig.loadFromString(text);
const engine = new Engine({ kubeConfig, ...(workers === undefined ? {} : { workers }) });
const pods = engine.informer({ apiVersion: 'v1', kind: 'Pod', plural: 'pods' });
let notifications = 0;
const count = () => {
  notifications++;
};
pods.addEventHandler({ onAdd: count, onUpdate: count, onDelete: count });
pods.start();
await pods.synced;

/** What a process needs, and not what it has just used: timers and collections of garbage have had their turn. */
const SETTLE_MS = 3000;

const ANSWERS = {
  async memory({ resourceVersion }) {
    while (Number(pods.lastStoreSyncResourceVersion) < Number(resourceVersion)) await sleep(50);
    await sleep(SETTLE_MS);
    const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
    const [{ bytes, events, relists }] = engine.stats().informers;
    return { rss, heapUsed, heapTotal, external, arrayBuffers, bytes, events, relists, notifications };
  },
  /** Last: it takes memory itself. */
  async digest() {
    const rows = pods.lister.entries();
    return digestOf(rows.map(({ key, uid, resourceVersion }) => ({ key, uid, resourceVersion })));
  },
  async end() {
    await engine.close();
    process.disconnect();
  },
};

process.on('message', async ({ ask, ...details }) => {
  const answer = await ANSWERS[ask](details);
  if (process.connected) process.send(answer ?? {});
});

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
