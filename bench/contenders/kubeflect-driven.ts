/** Informers of this project in a process that is kept running: see runner/driven-process.ts. */
import { subscribe } from 'node:diagnostics_channel';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  Engine,
  type Entry,
  type InformerOptions,
  type KubernetesObject,
  runController,
  type SharedInformer,
} from 'kubeflect';
import type { DrivenCalls, DrivenTask, HandlerKind, Reader } from './driven.js';
import {
  digestOf,
  drivenMeasurement,
  type JavaScriptMeasurement,
  type Measuring,
  startMeasuring,
} from './measure.js';
import { readAsController, SeenVersions, sharedClockMs } from './recording.js';
import { serveCalls } from './serve-calls.js';
import { defined, kubeConfigOf } from './task.js';

/** Memory is measured after timers and garbage collections have had their turn. */
const SETTLE_MS = 3000;
const POLL_MS = 25;
const PODS = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };

export type InformerType = Pick<InformerOptions, 'apiVersion' | 'kind' | 'plural' | 'list'>;

export interface KubeflectTask extends DrivenTask {
  readonly workers?: number;
  /** Pods by default. */
  readonly type?: InformerType;
}

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

export interface RelistMeasurement extends JavaScriptMeasurement, InformerStats {
  readonly calls: { readonly onAdd: number; readonly onUpdate: number; readonly onDelete: number };
}

/** What a relist is complete by: the version that the cache has reached, after so many lists. */
interface Until {
  readonly resourceVersion: string;
  readonly relists: number;
}

let engine: Engine | undefined;
const informers: SharedInformer[] = [];
let measuring: Measuring | undefined;
const seen = new SeenVersions();
const calls = { onAdd: 0, onUpdate: 0, onDelete: 0 };
/** Lists that were applied since `measureRelist`. */
let lists = 0;
const listWaiters: (() => void)[] = [];
let isReading = false;
let objectsRead = 0;

const CALLS = {
  async start(task: KubeflectTask) {
    const { cluster, user, workers, namespaces = [], handler = 'key', type = PODS, encoding } = task;
    engine = new Engine({
      kubeConfig: kubeConfigOf({ cluster, user }),
      // The benchmark injects faults.
      onError: () => undefined,
      ...defined({ workers }),
    });
    const options = { ...type, ...defined({ encoding }) };
    const scopes =
      namespaces.length === 0 ? [options] : namespaces.map((namespace) => ({ ...options, namespace }));
    await Promise.all(scopes.map((scope) => startInformer(started(), scope, handler)));
    return { syncedAtMs: sharedClockMs() };
  },
  async memory({ resourceVersion }: { resourceVersion: string }): Promise<Memory> {
    await reached({ resourceVersion, relists: 0 });
    await sleep(SETTLE_MS);
    return { ...process.memoryUsage(), ...stats() };
  },
  async readAll(_: object): Promise<{ read: number }> {
    let read = 0;
    for (const entry of allEntries()) if (entry.object.metadata?.name === entry.name) read++;
    return { read };
  },
  /** Everything from here to `relisted` counts. `resolution` is that of stalls, in milliseconds. */
  async measureRelist({ resolution }: { resolution: number }) {
    Object.assign(calls, { onAdd: 0, onUpdate: 0, onDelete: 0 });
    lists = 0;
    measuring = startMeasuring(resolution);
  },
  async relisted(until: Until): Promise<RelistMeasurement> {
    await reached(until);
    if (measuring === undefined) throw new Error('relisted without measureRelist');
    return { ...(await measuring.stop()), ...stats(), calls };
  },
  async measure({ events, stalls = false }: { events: number; stalls?: boolean }) {
    seen.record(events);
    objectsRead = 0;
    measuring = startMeasuring(stalls ? 1 : 'off');
  },
  async measured({ resourceVersion }: { resourceVersion: string }) {
    await seen.reached(resourceVersion);
    const measurement = await drivenMeasurement(measuring);
    return { ...measurement, events: seen.events(), lists: stats().relists + 1, objectsRead };
  },
  async readContinuously({ reader }: { reader: Reader }) {
    isReading = true;
    void readWhileAsked(reader);
  },
  /** Called last: it allocates memory itself. */
  async digest(_: object) {
    isReading = false;
    return digestOf(allEntries().map(({ key, uid, resourceVersion }) => ({ key, uid, resourceVersion })));
  },
  async end(_: object) {
    await engine?.close();
    process.disconnect();
  },
} satisfies DrivenCalls & Record<string, unknown>;

export type InformerCalls = typeof CALLS;

/** Resolves when the informer has synced, its handler has been called for every object, and its watch is open. */
async function startInformer(on: Engine, options: InformerOptions, kind: HandlerKind): Promise<void> {
  let onConnect = (): void => undefined;
  const connected = new Promise<void>((resolve) => {
    onConnect = resolve;
  });
  const informer = on.informer({ ...options, onConnect });
  informers.push(informer);
  if (kind === 'reconcile') {
    await runController({ informer, reconcile: (key) => reconcile(informer, key) }).synced;
  } else {
    const handler = informer.addEventHandler({
      onAdd() {
        calls.onAdd++;
      },
      onUpdate(_, entry) {
        calls.onUpdate++;
        if (kind === 'object') readAsController(entry.object);
        seen.add(entry.resourceVersion);
      },
      onDelete() {
        calls.onDelete++;
      },
    });
    informer.start();
    await informer.synced;
    await handler.synced;
  }
  await connected;
}

function reconcile(informer: SharedInformer, key: string): void {
  const object = informer.lister.get(key);
  if (object === undefined) throw new Error(`no object ${key}`);
  seen.add(object.metadata?.resourceVersion);
  readAsController(object);
}

async function readWhileAsked(reader: Reader): Promise<void> {
  while (isReading) {
    for (const { lister } of informers) await readAll(lister, reader);
    await nextTurn();
  }
}

async function readAll(lister: SharedInformer['lister'], reader: Reader): Promise<void> {
  if (reader === 'scan') {
    for await (const object of lister.scan()) readAndCount(object);
  } else if (reader === 'list') {
    for (const object of lister.list()) readAndCount(object);
  } else {
    for (const { namespace, name } of lister.entries()) readAndCount({ metadata: { namespace, name } });
  }
}

function readAndCount(object: KubernetesObject): void {
  readAsController(object);
  objectsRead++;
}

function started(): Engine {
  if (engine === undefined) throw new Error('called before start');
  return engine;
}

function allEntries(): Entry[] {
  return informers.flatMap(({ lister }) => lister.entries());
}

function stats(): InformerStats {
  const { informers: all } = started().stats();
  const sum = (select: (stats: (typeof all)[number]) => number): number =>
    all.reduce((total, stats) => total + select(stats), 0);
  return {
    bytes: sum(({ bytes }) => bytes),
    received: sum(({ events }) => events),
    relists: sum(({ relists }) => relists),
  };
}

/** Of one informer. Polls only after enough lists have been reported: polling runs in the thread that is measured. */
async function reached({ resourceVersion, relists }: Until): Promise<void> {
  const [informer] = informers;
  if (informer === undefined) throw new Error('called before start');
  while (lists < relists) await new Promise<void>((resolve) => listWaiters.push(resolve));
  while (Number(informer.lastStoreSyncResourceVersion) < Number(resourceVersion)) await sleep(POLL_MS);
  while (informer.health().handlers.some(({ pending }) => pending > 0)) await sleep(1);
}

subscribe('kubeflect:informer:replaced', () => {
  lists++;
  for (const resolve of listWaiters.splice(0)) resolve();
});

serveCalls(CALLS);
