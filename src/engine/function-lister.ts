import type { KubernetesObject } from '../kube/object.js';
import type {
  ExpectedObject,
  ListChunk,
  ListerWatcher,
  ListOptions,
  WatchChunk,
  WatchOptions,
} from '../reflector/lister-watcher.js';
import { listChunks } from '../reflector/lister-watcher-funcs.js';
import type { ListFunction } from './informer-options.js';
import type { WorkerListerWatcher } from './worker-lister-watcher.js';

/** Lists by a user's function on the main thread, and watches on a worker. */
export class FunctionLister<T extends KubernetesObject> implements ListerWatcher<T> {
  readonly #list: ListFunction<T>;
  readonly #worker: WorkerListerWatcher<T>;
  #lists = 0;
  #listed = 0;

  constructor(list: ListFunction<T>, worker: WorkerListerWatcher<T>) {
    this.#list = list;
    this.#worker = worker;
  }

  get lists(): number {
    return this.#lists;
  }

  get listed(): number {
    return this.#listed;
  }

  get decoder(): WorkerListerWatcher<T>['decoder'] {
    return this.#worker.decoder;
  }

  get encoding(): WorkerListerWatcher<T>['encoding'] {
    return this.#worker.encoding;
  }

  get shards(): WorkerListerWatcher<T>['shards'] {
    return this.#worker.shards;
  }

  get unknownFields(): number {
    return this.#worker.unknownFields;
  }

  get openWatches(): number {
    return this.#worker.openWatches;
  }

  get events(): number {
    return this.#worker.events;
  }

  async *list(
    _options: ListOptions,
    _signal: AbortSignal,
    expected: ExpectedObject = {},
  ): AsyncGenerator<ListChunk<T>> {
    this.#lists++;
    for (const chunk of listChunks(await this.#list(), expected)) {
      if (chunk.type === 'items') this.#listed += chunk.entries.length;
      yield chunk;
    }
  }

  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchChunk<T>> {
    return this.#worker.watch(options, signal);
  }
}
