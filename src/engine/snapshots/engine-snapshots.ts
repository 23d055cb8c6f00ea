import type { SharedInformer } from '../../informer/shared-informer.js';
import type { KubernetesObject } from '../../kube/object.js';
import { groupAndVersion } from '../../kube/resource.js';
import { type SpawnSnapshotThread, spawnSnapshotThread } from '../../pool/snapshot-thread.js';
import type { ServerIdentity } from '../../snapshot/snapshot-header.js';
import type { SlabCache } from '../../store/slab/slab-cache.js';
import type { Clock, Random } from '../../util/clock.js';
import type { Metrics } from '../../util/metrics.js';
import type { SliceScheduler } from '../../util/slice-scheduler.js';
import type { ResolvedInformerOptions } from '../informer-options.js';
import { InformerSnapshot } from './informer-snapshot.js';
import { type ServerIdentityOptions, serverIdentity } from './server-identity.js';
import { SnapshotClient, untilAborted } from './snapshot-client.js';
import { SnapshotMetrics } from './snapshot-metrics.js';
import { hasSnapshot, type ResolvedSnapshotOptions } from './snapshot-options.js';

interface EngineSnapshotsOptions extends ServerIdentityOptions {
  readonly snapshot: ResolvedSnapshotOptions;
  /** Where a bundler has put `workers/entry.cjs`. */
  readonly workerFile: URL | undefined;
  readonly spawn: SpawnSnapshotThread | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly slices: SliceScheduler;
}

/** What the snapshots of all informers of an engine share: the thread, the directory, and the cluster. */
export class EngineSnapshots {
  readonly #client: SnapshotClient;
  readonly #options: EngineSnapshotsOptions;
  readonly #members = new Map<
    SharedInformer<KubernetesObject>,
    Pick<InformerSnapshot<KubernetesObject>, 'close'>
  >();
  /** By the name of a file: who writes it. */
  readonly #writers = new Map<string, object>();
  #server: Promise<ServerIdentity> | undefined;
  readonly #closed = new AbortController();

  constructor(options: EngineSnapshotsOptions) {
    const { snapshot, spawn = spawnSnapshotThread, workerFile } = options;
    this.#options = options;
    const entry = workerFile && new URL('snapshot/bundle/main.js', workerFile);
    this.#client = new SnapshotClient({ ...snapshot, spawn, entry });
  }

  /** The snapshot of an informer that is being created; undefined if it has none. */
  create(
    informerName: string,
    informer: ResolvedInformerOptions<KubernetesObject>,
    cache: SlabCache<KubernetesObject>,
    metrics: Metrics,
  ): InformerSnapshot<KubernetesObject> | undefined {
    if (!hasSnapshot(informer)) return undefined;
    const { clock, random, slices, snapshot } = this.#options;
    const { apiVersion, plural } = informer;
    const labels = { name: informerName, ...groupAndVersion(apiVersion), resource: plural };
    const created: InformerSnapshot<KubernetesObject> = new InformerSnapshot({
      informerName,
      informer,
      client: this.#client,
      cache,
      server: () => this.#askServer(),
      claim: (name) => this.#claim(name, created),
      everyMs: snapshot.everyMs,
      clock,
      random,
      slices,
      metrics: new SnapshotMetrics(metrics, labels),
    });
    return created;
  }

  add(
    informer: SharedInformer<KubernetesObject>,
    snapshot: Pick<InformerSnapshot<KubernetesObject>, 'close'>,
  ): void {
    this.#members.set(informer, snapshot);
  }

  /** An informer was stopped, and is not needed any more. Its file stays as it is. */
  async remove(informer: SharedInformer<KubernetesObject>): Promise<void> {
    const snapshot = this.#members.get(informer);
    this.#members.delete(informer);
    for (const [name, writer] of this.#writers) if (writer === snapshot) this.#writers.delete(name);
    await snapshot?.close();
  }

  /** The informers have stopped: writes what has changed, and ends the thread. */
  async close(): Promise<void> {
    // A server that does not respond must not hold up the end.
    this.#closed.abort();
    await Promise.all([...this.#members.values()].map((snapshot) => snapshot.close()));
    await this.#client.close();
  }

  /** Once. */
  #askServer(): Promise<ServerIdentity> {
    this.#server ??= untilAborted(serverIdentity(this.#options), this.#closed.signal);
    return this.#server;
  }

  /** Informers that differ only in what is not stored have one file: the first of them writes it. */
  #claim(name: string, writer: object): boolean {
    const current = this.#writers.get(name) ?? writer;
    this.#writers.set(name, current);
    return current === writer;
  }
}
