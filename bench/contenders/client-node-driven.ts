/** Informers of @kubernetes/client-node in a process that is kept running: see runner/driven-process.ts. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Informer, KubernetesListObject, ObjectCache, V1Pod } from '@kubernetes/client-node';
import { loadClientNode } from './client-node-module.js';
import type { DrivenCalls } from './driven.js';
import { digestOf, drivenMeasurement, type Measuring, startMeasuring } from './measure.js';
import { readAsController, SeenVersions, sharedClockMs } from './recording.js';
import { serveCalls } from './serve-calls.js';

const { CoreV1Api, KubeConfig, makeInformer } = await loadClientNode();

type Pods = Informer<V1Pod> & ObjectCache<V1Pod>;

const informers: Pods[] = [];
const seen = new SeenVersions();
let measuring: Measuring | undefined;
let lists = 0;
let isReading = false;
let objectsRead = 0;

const CALLS: DrivenCalls = {
  async start({ kubeConfig: text, objects, handler = 'key', namespaces = [] }) {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(text);
    const core = kubeConfig.makeApiClient(CoreV1Api);
    let added = 0;
    const synced = new Promise<void>((resolve) => {
      const onAdd = (): void => {
        if (++added === objects) resolve();
      };
      const make = (path: string, list: () => Promise<KubernetesListObject<V1Pod>>): void => {
        const informer = makeInformer(kubeConfig, path, () => {
          lists++;
          return list();
        });
        informer.on('add', onAdd);
        informer.on('update', (pod) => {
          if (handler === 'object') readAsController(pod);
          seen.add(pod.metadata?.resourceVersion);
        });
        // As its documentation shows.
        informer.on('error', (error: unknown) => {
          console.error('client-node:', error instanceof Error ? error.message : error);
          if (added < Number(objects)) process.exit(1);
          setTimeout(() => void informer.start(), 1000);
        });
        informers.push(informer);
      };
      if (namespaces.length === 0) make('/api/v1/pods', () => core.listPodForAllNamespaces());
      for (const namespace of namespaces)
        make(`/api/v1/namespaces/${namespace}/pods`, () => core.listNamespacedPod({ namespace }));
    });
    await Promise.all(informers.map((informer) => informer.start()));
    await synced;
    return { syncedAtMs: sharedClockMs() };
  },
  async measure({ events, stalls = false }) {
    seen.record(events);
    objectsRead = 0;
    measuring = startMeasuring(stalls ? 1 : 'off');
  },
  async measured({ resourceVersion }) {
    await seen.reached(resourceVersion);
    return { ...(await drivenMeasurement(measuring)), events: seen.events(), lists, objectsRead };
  },
  async readContinuously() {
    isReading = true;
    void readWhileAsked();
  },
  async digest() {
    isReading = false;
    const pods = informers.flatMap((informer) => informer.list());
    return digestOf(
      pods.map(({ metadata }) => ({
        key: `${metadata?.namespace}/${metadata?.name}`,
        uid: metadata?.uid,
        resourceVersion: metadata?.resourceVersion,
      })),
    );
  },
  async end() {
    process.exit(0);
  },
};

async function readWhileAsked(): Promise<void> {
  while (isReading) {
    for (const pod of informers.flatMap((informer) => informer.list())) {
      readAsController(pod);
      objectsRead++;
    }
    await nextTurn();
  }
}

serveCalls(CALLS);
