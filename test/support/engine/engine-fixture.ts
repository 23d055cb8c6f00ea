import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Engine,
  type EngineOptions,
  type Entry,
  type InformerEvent,
  type InformerOptions,
  type KubeflectError,
  type KubernetesObject,
  type ResourceEventHandler,
  type SharedInformer,
} from 'kubeflect';
import {
  type ApiServerHandle,
  type RequestRecord,
  type ServerOptions,
  startApiServer,
} from 'kubeflect/testing';

export interface Pod extends KubernetesObject {
  spec?: { nodeName?: string };
  status?: { phase?: string };
}

const POLL_INTERVAL_MS = 20;

/** Of a kind that is named, as the server's handle wants it. */
export type Collection<T extends KubernetesObject = KubernetesObject> = InformerOptions<T> & {
  readonly kind: string;
};

export const PODS: Collection<Pod> = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
export const CONFIG_MAPS: Collection = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };

/** An embedded server and engines on it; everything is closed by `close`, and errors are kept. */
export class EngineFixture {
  readonly server: ApiServerHandle;
  readonly errors: KubeflectError[] = [];
  readonly #engines: Engine[] = [];

  private constructor(server: ApiServerHandle) {
    this.server = server;
  }

  static async start(options: ServerOptions = {}): Promise<EngineFixture> {
    return new EngineFixture(await startApiServer(options));
  }

  /** Errors but for those that only say how busy the machine is. */
  get faults(): KubeflectError[] {
    return this.errors.filter(({ code }) => code !== 'KUBEFLECT_HANDLER_SLOW');
  }

  engine(options: Partial<EngineOptions> = {}): Engine {
    const engine = new Engine({
      connection: { server: this.server.url, headers: {} },
      workers: 1,
      onError: (error) => void this.errors.push(error),
      ...options,
      advanced: { restartBackoff: { initialMs: 20, maxMs: 100 }, ...options.advanced },
    });
    this.#engines.push(engine);
    return engine;
  }

  /** Defines a custom resource whose plural is its kind in lower case and an s; the last version is stored. */
  async define(
    group: string,
    kind: string,
    { scope = 'Namespaced', versions = ['v1'] }: { scope?: string; versions?: readonly string[] } = {},
  ): Promise<Collection> {
    const plural = `${kind.toLowerCase()}s`;
    await this.server.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope,
        names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
        versions: versions.map((name) => ({
          name,
          served: true,
          storage: name === versions.at(-1),
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        })),
      },
    });
    return { apiVersion: `${group}/${versions[0]}`, kind, plural };
  }

  async configMap(name: string, data: Record<string, string> = {}, namespace = 'default'): Promise<void> {
    const metadata = { name, namespace };
    await this.server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  }

  /** Gives back its new version. */
  async patchConfigMap(name: string, data: Record<string, string>, namespace = 'default'): Promise<string> {
    const patched = await this.server.patch(
      { apiVersion: 'v1', kind: 'ConfigMap', name, namespace },
      { data },
    );
    return patched.metadata?.resourceVersion ?? '';
  }

  async deleteConfigMap(name: string, namespace = 'default'): Promise<void> {
    await this.server.delete({ apiVersion: 'v1', kind: 'ConfigMap', name, namespace });
  }

  /** Requests for collections since the server started; a list by pages is one. */
  async lists(): Promise<readonly RequestRecord[]> {
    return (await this.server.requests()).filter(
      ({ verb, query }) => verb === 'list' && query['continue'] === undefined,
    );
  }

  /** Requests for a collection, by verb: a page of a list counts, and a streaming list is `stream`. */
  async requestsOf(path: string): Promise<Record<'list' | 'stream' | 'watch', number>> {
    const counts = { list: 0, stream: 0, watch: 0 };
    for (const { verb, path: requested, query } of await this.server.requests()) {
      if (requested !== path) continue;
      if (verb === 'list') counts.list++;
      if (verb === 'watch') counts[query['sendInitialEvents'] === 'true' ? 'stream' : 'watch']++;
    }
    return counts;
  }

  /** Waits until the informer holds what the server has. */
  async converged(informer: SharedInformer, kind: { apiVersion: string; kind: string }): Promise<void> {
    const deadline = performance.now() + 15_000;
    for (;;) {
      const expected = await this.server.digest(kind);
      const actual = digestOf(informer);
      if (actual.digest === expected.digest) return;
      if (performance.now() > deadline) {
        throw new Error(
          `the store has ${actual.count} objects, the server ${expected.count}, and they differ`,
        );
      }
      await sleep(POLL_INTERVAL_MS);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#engines.splice(0).map((engine) => engine.close()));
    await this.server.close();
  }

  /** After each test that shares the server. */
  async closeEngines(): Promise<void> {
    await Promise.all(this.#engines.splice(0).map((engine) => engine.close()));
    await this.server.faults.clear();
    this.errors.length = 0;
  }
}

/** As the server's `digest` makes it. */
export function digestOf(informer: SharedInformer): { count: number; digest: string } {
  const entries = informer.lister.entries().sort((a, b) => (a.key < b.key ? -1 : 1));
  const hash = createHash('sha256');
  for (const { key, uid, resourceVersion } of entries) hash.update(`${key} ${uid} ${resourceVersion}\n`);
  return { count: entries.length, digest: hash.digest('hex') };
}

type Told = Pick<Entry<KubernetesObject>, 'key' | 'resourceVersion'>;

/** What a handler was told, folded: key → resource version. Throws on an order that cannot be. */
export class Fold {
  readonly known = new Map<string, string>();
  notifications = 0;

  onAdd({ key, resourceVersion }: Told): void {
    this.notifications++;
    if (this.known.has(key)) throw new Error(`${key} was added twice`);
    this.known.set(key, resourceVersion);
  }

  onUpdate(before: Told, after: Told): void {
    this.notifications++;
    if (this.known.get(before.key) !== before.resourceVersion) throw new Error(`${before.key} was not that`);
    this.known.set(before.key, after.resourceVersion);
  }

  onDelete({ key }: Told): void {
    this.notifications++;
    if (!this.known.delete(key)) throw new Error(`${key} was deleted without an add`);
  }

  /** The same as a handler that returns a promise. */
  taking(time: () => Promise<void>): ResourceEventHandler {
    return {
      onAdd: (entry) => time().then(() => this.onAdd(entry)),
      onUpdate: (before, after) => time().then(() => this.onUpdate(before, after)),
      onDelete: (entry) => time().then(() => this.onDelete(entry)),
    };
  }

  /** The same by a loop. Resolves when the events end. */
  async follow<T extends KubernetesObject>(events: AsyncIterable<InformerEvent<T>>): Promise<void> {
    for await (const event of events) {
      if (event.type === 'add') this.onAdd(event.entry);
      else if (event.type === 'update') this.onUpdate(event.before, event.entry);
      else if (event.type === 'delete') this.onDelete(event.entry);
    }
  }

  /** True if it knows exactly what the informer holds. */
  equals<T extends KubernetesObject>(informer: SharedInformer<T>): boolean {
    const entries = informer.lister.entries();
    return (
      entries.length === this.known.size &&
      entries.every(({ key, resourceVersion }) => this.known.get(key) === resourceVersion)
    );
  }
}
