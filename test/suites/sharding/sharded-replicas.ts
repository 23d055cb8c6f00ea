/** Replicas that share a collection by static shards, one engine each, and one that holds the whole. */

import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { Engine, type KubeflectError, type SharedInformer } from 'kubeflect';
import { fnv1a64 } from '#dist/src/kube/sharding/fnv.js';
import { shardOfHash } from '#dist/src/kube/sharding/hash-range.js';
import type { ApiClient } from '../../conformance/harness/client.js';
import { readConnection } from '../../conformance/harness/target.js';
import { RecordingProxy } from '../informers/recording-proxy.js';

const POLL_INTERVAL_MS = 50;
const PATIENCE_MS = 60_000;
const PAGE = 5000;

/** Objects as `key uid version`. */
type Objects = ReadonlySet<string>;

/** What one replica has received so far. */
export interface Received {
  readonly bytes: number;
  readonly decoded: number;
  readonly dropped: number;
}

interface Replica {
  readonly index: number;
  readonly engine: Engine;
  readonly informer: SharedInformer;
  readonly proxy: RecordingProxy;
}

export class ShardedReplicas {
  readonly errors: KubeflectError[] = [];
  /** Uids of objects of other shards that a handler has seen. */
  readonly strays: string[] = [];
  readonly of: number;
  readonly #api: ApiClient;
  readonly #replicas: Replica[] = [];

  private constructor(api: ApiClient, of: number) {
    this.#api = api;
    this.of = of;
  }

  /** Replica i has shard i of `of`; the last has all pods. Resolves when they have synced. */
  static async start(kubeConfig: string, api: ApiClient, of: number): Promise<ShardedReplicas> {
    const replicas = new ShardedReplicas(api, of);
    for (let index = 0; index <= of; index++) await replicas.#start(kubeConfig, index);
    await Promise.all(replicas.#replicas.map(({ informer }) => informer.synced));
    return replicas;
  }

  get received(): readonly Received[] {
    return this.#replicas.map(({ engine, proxy }) => {
      const { listed = 0, events = 0, shard } = engine.stats().informers[0] ?? {};
      return { bytes: proxy.bytes, decoded: listed + events, dropped: shard?.dropped ?? 0 };
    });
  }

  get filteredBy(): readonly (string | undefined)[] {
    return this.#replicas.slice(0, -1).map(({ engine }) => engine.stats().informers[0]?.shard?.filteredBy);
  }

  /** Waits until each replica holds exactly what the server has of its shard; returns the number of objects. */
  async converged(): Promise<number> {
    const expected = await this.#listed();
    const deadline = performance.now() + PATIENCE_MS;
    for (const replica of this.#replicas) {
      for (;;) {
        const difference = this.#difference(replica, expected);
        if (difference === undefined) break;
        if (performance.now() > deadline) throw new Error(difference);
        await sleep(POLL_INTERVAL_MS);
      }
    }
    return expected.length;
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map(({ engine }) => engine.close()));
    await Promise.all(this.#replicas.map(({ proxy }) => proxy.close()));
  }

  async #start(kubeConfig: string, index: number): Promise<void> {
    const proxy = await RecordingProxy.start(await readConnection(kubeConfig), { keepsBodies: false });
    const engine = new Engine({
      kubeConfig: throughProxy(kubeConfig, proxy),
      workers: 1,
      onError: (error) => {
        if (error.code !== 'KUBEFLECT_HANDLER_SLOW') this.errors.push(error);
      },
    });
    const isWhole = index === this.of;
    const informer = engine.informer({
      apiVersion: 'v1',
      kind: 'Pod',
      plural: 'pods',
      ...(!isWhole && { shard: { index, of: this.of } }),
    });
    const see = ({ uid }: { readonly uid: string }): void => {
      if (!isWhole && this.#shardOf(uid) !== index) this.strays.push(uid);
    };
    informer.addEventHandler({ onAdd: see, onUpdate: (_, entry) => see(entry), onDelete: see });
    informer.start();
    this.#replicas.push({ index, engine, informer, proxy });
  }

  #shardOf(uid: string): number {
    return shardOfHash(fnv1a64(uid), this.of);
  }

  #difference(
    { index, informer }: Replica,
    listed: readonly { uid: string; line: string }[],
  ): string | undefined {
    const isWhole = index === this.of;
    const ours = listed.filter(({ uid }) => isWhole || this.#shardOf(uid) === index);
    const cached: Objects = new Set(
      informer.lister.entries().map(({ key, uid, resourceVersion }) => `${key} ${uid} ${resourceVersion}`),
    );
    const missing = ours.filter(({ line }) => !cached.has(line));
    if (missing.length === 0 && cached.size === ours.length) return undefined;
    return `replica ${index} of ${this.of} has ${cached.size} objects of ${ours.length}, and lacks ${missing.length}`;
  }

  async #listed(): Promise<{ uid: string; line: string }[]> {
    const objects: { uid: string; line: string }[] = [];
    let token = '';
    do {
      const { json, status, text } = await this.#api.get('/api/v1/pods', {
        limit: PAGE,
        ...(token !== '' && { continue: token }),
      });
      if (status !== 200) throw new Error(`listing failed: ${text}`);
      for (const { metadata } of json.items) {
        const { name, namespace, uid, resourceVersion } = metadata;
        objects.push({ uid, line: `${namespace}/${name} ${uid} ${resourceVersion}` });
      }
      token = json.metadata.continue ?? '';
    } while (token !== '');
    return objects;
  }
}

function throughProxy(text: string, proxy: RecordingProxy): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(text);
  const cluster = kubeConfig.getCurrentCluster();
  const user = kubeConfig.getCurrentUser();
  if (cluster === null || user === null) throw new Error('the kubeconfig has no current context');
  kubeConfig.loadFromClusterAndUser({ ...cluster, server: proxy.url }, user);
  return kubeConfig;
}
