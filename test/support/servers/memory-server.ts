import { ApiStatusError } from '#dist/src/kube/status.js';
import { ListerWatcherFuncs, type PlainWatchEvent } from '#dist/src/reflector/lister-watcher-funcs.js';
import { FakeWatch } from '../informer/fake-watch.js';
import { type Pod, type PodOptions, pod } from '../objects/entries.js';

/** client-go's FakeControllerSource: a collection with a change log, whose watches a test can cut and whose past it can forget. */
export class MemoryServer {
  version = 1;
  readonly #pods = new Map<string, Pod>();
  readonly #log: { readonly version: number; readonly event: PlainWatchEvent }[] = [];
  readonly #watches = new Set<FakeWatch>();
  #compacted = 0;
  /** Thrown by the next list. */
  listError: Error | undefined;
  lists = 0;

  readonly listerWatcher: ListerWatcherFuncs<Pod> = new ListerWatcherFuncs<Pod>({
    isWatchListUnsupported: true,
    list: async () => {
      this.lists++;
      const error = this.listError;
      this.listError = undefined;
      if (error !== undefined) throw error;
      return {
        apiVersion: 'v1',
        kind: 'PodList',
        metadata: { resourceVersion: String(this.version) },
        items: [...this.#pods.values()],
      };
    },
    watch: async ({ resourceVersion }, signal) => {
      if (Number(resourceVersion) < this.#compacted) {
        throw new ApiStatusError({ code: 410, reason: 'Expired', message: 'too old resource version' });
      }
      const watch = new FakeWatch(signal);
      for (const { version, event } of this.#log) if (version > Number(resourceVersion)) watch.send(event);
      this.#watches.add(watch);
      return watch;
    },
  });

  write(name: string, options: PodOptions = {}): void {
    const type = this.#pods.has(name) ? 'MODIFIED' : 'ADDED';
    const written = pod(name, ++this.version, options);
    this.#pods.set(name, written);
    this.#publish({ type, object: written });
  }

  remove(name: string): void {
    if (!this.#pods.delete(name)) return;
    this.#publish({ type: 'DELETED', object: pod(name, ++this.version) });
  }

  /** Closes all watches; with `forget`, none of what happened before can be watched any more. */
  cut(options: { readonly forget: boolean }): void {
    if (options.forget) this.#compacted = this.version;
    for (const watch of this.#watches) watch.close();
    this.#watches.clear();
  }

  /** Stops sending events, and forgets them: what happens from now on can only be found by a list. */
  goDark(): void {
    this.#compacted = this.version + 1;
    this.#watches.clear();
  }

  #publish(event: PlainWatchEvent): void {
    this.#log.push({ version: this.version, event });
    for (const watch of this.#watches) watch.send(event);
  }
}
