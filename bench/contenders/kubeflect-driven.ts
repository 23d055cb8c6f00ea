/** An informer of this project in a process that is kept running: see runner/driven-process.ts. */
import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { Engine, type InformerOptions, type SharedInformer } from 'kubeflect';
import { digestOf, type JavaScriptMeasurement, type Measuring, startMeasuring } from './measure.js';
import { type RecordedEvents, Recording } from './recording.js';
import { serveCalls } from './serve-calls.js';
import { type Digest, defined, type Identity, kubeConfigOf } from './task.js';

/** Memory is measured after timers and garbage collections have had their turn. */
const SETTLE_MS = 3000;
const POLL_MS = 25;
const PODS = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };

export type InformerType = Pick<InformerOptions, 'apiVersion' | 'kind' | 'plural' | 'list' | 'encoding'>;

interface InformerStats {
  /** Held by the cache, as the engine counts them. */
  readonly bytes: number;
  readonly received: number;
  readonly relists: number;
}

export interface Memory extends InformerStats {
  readonly rss: number;
  readonly heapUsed: number;
  readonly heapTotal: number;
  readonly external: number;
  readonly arrayBuffers: number;
}

export interface DrivenMeasurement extends JavaScriptMeasurement, InformerStats {
  readonly calls: { readonly onAdd: number; readonly onUpdate: number; readonly onDelete: number };
  readonly events: RecordedEvents | undefined;
}

/** What a relist or a watch is complete by: the version that the cache has reached, after so many lists. */
interface Until {
  readonly resourceVersion: string;
  readonly relists: number;
}

let engine: Engine | undefined;
let pods: SharedInformer | undefined;
let measuring: Measuring | undefined;
let recording: Recording | undefined;
const calls = { onAdd: 0, onUpdate: 0, onDelete: 0 };
/** Lists that were applied since `measure`. */
let lists = 0;
const listWaiters: (() => void)[] = [];

const CALLS = {
  async start({ cluster, user, workers, type = PODS }: Identity & { workers?: number; type?: InformerType }) {
    engine = new Engine({
      kubeConfig: kubeConfigOf({ cluster, user }),
      // The benchmark injects faults.
      onError: () => undefined,
      ...defined({ workers }),
    });
    let onConnect = (): void => undefined;
    const connected = new Promise<void>((resolve) => {
      onConnect = resolve;
    });
    const informer = engine.informer({ ...type, onConnect });
    pods = informer;
    const handler = informer.addEventHandler({
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
    informer.start();
    await informer.synced;
    await handler.synced;
    await connected;
  },
  async memory({ resourceVersion }: { resourceVersion: string }): Promise<Memory> {
    await reached({ resourceVersion, relists: 0 });
    await sleep(SETTLE_MS);
    return { ...process.memoryUsage(), ...stats() };
  },
  async readAll(_: object): Promise<{ read: number }> {
    let read = 0;
    for (const entry of informer().lister.entries()) if (entry.object.metadata?.name === entry.name) read++;
    return { read };
  },
  /** Everything from here to `measured` counts. With `events`, the time of each event is recorded. */
  async measure({ events = 0, resolution = 1 }: { events?: number; resolution?: number }) {
    recording = events === 0 ? undefined : new Recording(events);
    Object.assign(calls, { onAdd: 0, onUpdate: 0, onDelete: 0 });
    lists = 0;
    measuring = startMeasuring(resolution);
  },
  async measured(until: Until): Promise<DrivenMeasurement> {
    await reached(until);
    if (measuring === undefined) throw new Error('measured without measure');
    const measured = await measuring.stop();
    return { ...measured, ...stats(), calls, events: recording?.events() };
  },
  /** Called last: it allocates memory itself. */
  async digest(_: object): Promise<Digest> {
    const entries = informer().lister.entries();
    return digestOf(entries.map(({ key, uid, resourceVersion }) => ({ key, uid, resourceVersion })));
  },
  async end(_: object) {
    await engine?.close();
    process.disconnect();
  },
};

export type InformerCalls = typeof CALLS;

function informer(): SharedInformer {
  if (pods === undefined) throw new Error('called before start');
  return pods;
}

function stats(): InformerStats {
  const [informerStats] = engine?.stats().informers ?? [];
  if (informerStats === undefined) throw new Error('the engine has no informer');
  const { bytes, events, relists } = informerStats;
  return { bytes, received: events, relists };
}

/** Polls only after enough lists have been reported: polling runs in the thread that is measured. */
async function reached({ resourceVersion, relists }: Until): Promise<void> {
  while (lists < relists) await new Promise<void>((resolve) => listWaiters.push(resolve));
  while (Number(informer().lastStoreSyncResourceVersion) < Number(resourceVersion)) await sleep(POLL_MS);
  while (
    informer()
      .health()
      .handlers.some(({ pending }) => pending > 0)
  )
    await sleep(1);
}

subscribe('kubeflect:informer:replaced', () => {
  lists++;
  for (const resolve of listWaiters.splice(0)) resolve();
});

serveCalls(CALLS);
