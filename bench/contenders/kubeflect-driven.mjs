/** The engine of this project, kept running: does and says what it is asked. See `driven.mjs` beside the runner. */
import { subscribe } from 'node:diagnostics_channel';
import { Engine } from 'kubeflect';
import { digestOf, startMeasuring } from './measure.mjs';
import { Recording } from './recording.mjs';
import { kubeConfigOf } from './task.mjs';

/** What a process needs, and not what it has just used: timers and collections of garbage have had their turn. */
const SETTLE_MS = 3000;
const POLL_MS = 25;
const PODS = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };

let engine;
let pods;
let measuring;
let recording;
const calls = { onAdd: 0, onUpdate: 0, onDelete: 0 };
/** Lists that were applied since `measure`. */
let listsSince = 0;
const onList = [];

const ANSWERS = {
  async start({ cluster, user, workers, type = PODS }) {
    engine = new Engine({
      kubeConfig: kubeConfigOf({ cluster, user }),
      // Faults are the benchmark's own.
      onError: () => undefined,
      ...(workers === undefined ? {} : { workers }),
    });
    const watching = new Promise((onConnect) => {
      pods = engine.informer({ ...type, onConnect });
    });
    const handler = pods.addEventHandler({
      onAdd() {
        calls.onAdd++;
      },
      onUpdate(_, { resourceVersion }) {
        calls.onUpdate++;
        recording?.add(Number(resourceVersion));
      },
      onDelete() {
        calls.onDelete++;
      },
    });
    pods.start();
    await pods.synced;
    await handler.synced;
    await watching;
  },
  async memory({ resourceVersion }) {
    await reached(resourceVersion, 0);
    await sleep(SETTLE_MS);
    const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
    return { rss, heapUsed, heapTotal, external, arrayBuffers, ...statsOf() };
  },
  async readAll() {
    let read = 0;
    for (const entry of pods.lister.entries()) if (entry.object.metadata.name === entry.name) read++;
    return { read };
  },
  /** From here to `measured` everything counts. With `events` the time of each is noted. */
  async measure({ events = 0, resolution }) {
    recording = events === 0 ? undefined : new Recording(events);
    Object.assign(calls, { onAdd: 0, onUpdate: 0, onDelete: 0 });
    listsSince = 0;
    measuring = startMeasuring({ resolution });
  },
  /** When everything up to the version is applied, after so many lists since `measure`. */
  async measured({ resourceVersion, relists }) {
    await reached(resourceVersion, relists);
    const measured = await measuring.stop();
    return { ...measured, ...statsOf(), calls, events: recording?.events() };
  },
  /** Last: it takes memory itself. */
  async digest() {
    const rows = pods.lister.entries();
    return digestOf(rows.map(({ key, uid, resourceVersion }) => ({ key, uid, resourceVersion })));
  },
  async end() {
    await engine?.close();
    process.disconnect();
  },
};

function statsOf() {
  const [{ bytes, events, relists }] = engine.stats().informers;
  return { bytes, received: events, relists };
}

/** Waits to be told of lists, and looks only when there were enough: looking is done by the thread that is measured. */
async function reached(resourceVersion, relists) {
  while (listsSince < relists) await new Promise((resolve) => onList.push(resolve));
  while (Number(pods.lastStoreSyncResourceVersion) < Number(resourceVersion)) await sleep(POLL_MS);
  while (pods.health().handlers.some(({ pending }) => pending > 0)) await sleep(1);
}

subscribe('kubeflect:informer:replaced', () => {
  listsSince++;
  for (const resolve of onList.splice(0)) resolve();
});

// Without its parent nobody would ever end it.
process.on('disconnect', () => process.exit(0));
process.on('message', async ({ ask, ...details }) => {
  const answer = await ANSWERS[ask](details);
  if (process.connected) process.send(answer ?? {});
});

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
