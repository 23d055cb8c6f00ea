import { isDeepStrictEqual } from 'node:util';
import type {
  Engine,
  EngineOptions,
  Entry,
  InformerOptions,
  KubernetesObject,
  SharedInformer,
} from 'kubeflect';

/** Of an engine whose protobuf schema lacks these fields, as if the server were newer than the package. */
export function olderSchema(removed: readonly string[]): Pick<EngineOptions, 'workers' | 'advanced'> {
  // Threads get a copy of the environment.
  process.env['KUBEFLECT_TEST_REMOVED_FIELDS'] = removed.join(' ');
  return {
    workers: 1,
    advanced: { workerFile: new URL('../workers/older-schema-worker.cjs', import.meta.url) },
  };
}

/** All versions of all objects that the server has sent in JSON. */
export class JsonObjects {
  readonly #objects = new Map<string, unknown>();

  /** Takes a response to a write, or an object that was read. */
  add<T extends KubernetesObject>(object: T): T {
    const { namespace, name, resourceVersion } = object.metadata ?? {};
    this.#objects.set(`${namespace ?? ''}/${name} ${resourceVersion}`, JSON.parse(JSON.stringify(object)));
    return object;
  }

  get({ metadata }: KubernetesObject): unknown {
    const { namespace, name, resourceVersion } = metadata ?? {};
    return this.#objects.get(`${namespace ?? ''}/${name} ${resourceVersion}`);
  }
}

/** What the handler of an informer saw, in full, each time it was called. */
export class SeenObjects {
  readonly informer: SharedInformer;
  readonly objects: KubernetesObject[] = [];
  readonly calls: Record<'add' | 'update' | 'delete', number> = { add: 0, update: 0, delete: 0 };

  /** Of a new informer, which it starts. */
  constructor(engine: Engine, options: InformerOptions) {
    this.informer = engine.informer({ ...options, drop: [], advanced: { mergeAbove: 1_000_000 } });
    this.informer.addEventHandler({
      onAdd: (entry) => this.#see('add', entry),
      onUpdate: (before, after) => this.#see('update', before, after),
      onDelete: (entry) => this.#see('delete', entry),
    });
    this.informer.start();
  }

  /** Objects that are not what the server sent in JSON for the same version. */
  differencesFrom(json: JsonObjects): { seen: KubernetesObject; json: unknown }[] {
    return this.objects
      .map((seen) => ({ seen, json: json.get(seen) }))
      .filter((pair) => !isDeepStrictEqual(pair.seen, pair.json));
  }

  #see(call: keyof SeenObjects['calls'], ...entries: readonly Entry<KubernetesObject>[]): void {
    this.calls[call]++;
    for (const { object } of entries) this.objects.push(structuredClone(object));
  }
}
