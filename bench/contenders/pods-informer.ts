/** An informer of pods of this project, from its start until its handler has received everything. */
import { Engine, type EngineOptions, type InformerOptions, type SharedInformer } from 'kubeflect';
import { digestOf } from './measure.js';
import type { Digest } from './task.js';

export interface PodsInformer {
  readonly engine: Engine;
  readonly pods: SharedInformer;
  /** How often the handler was called for a new object. */
  readonly added: number;
  /** Of the cache, as of now. */
  digest(): Digest;
}

/** Resolves when it is synced, and its handler too. */
export async function syncedPods(
  engineOptions: EngineOptions,
  options: Omit<InformerOptions, 'apiVersion' | 'kind' | 'plural'> = {},
): Promise<PodsInformer> {
  const engine = new Engine(engineOptions);
  const pods = engine.informer({ apiVersion: 'v1', kind: 'Pod', plural: 'pods', ...options });
  let added = 0;
  const handler = pods.addEventHandler({
    onAdd() {
      added++;
    },
  });
  pods.start();
  await pods.synced;
  await handler.synced;
  return {
    engine,
    pods,
    get added() {
      return added;
    },
    digest: () =>
      digestOf(pods.lister.entries().map(({ key, uid, resourceVersion }) => ({ key, uid, resourceVersion }))),
  };
}

const CATCH_UP_MS = 20_000;
const POLL_MS = 50;

/** Waits until the cache has this digest, for some time; a cache that does not catch up is wrong. */
export async function caughtUp({ digest }: Pick<PodsInformer, 'digest'>, until?: string): Promise<Digest> {
  let current = digest();
  for (let waitedMs = 0; until !== undefined && current.digest !== until && waitedMs < CATCH_UP_MS; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    waitedMs += POLL_MS;
    current = digest();
  }
  return current;
}
