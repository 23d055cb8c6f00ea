import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { Entry } from '#dist/src/store/entry.js';
import type { ReflectorStore } from '#dist/src/store/reflector-store.js';

/** The plainest store: a Map, and a log of what was called. */
export class MapStore<T extends KubernetesObject = KubernetesObject> implements ReflectorStore<T> {
  readonly entries = new Map<string, Entry<T>>();
  readonly calls: string[] = [];
  /** Thrown once by the call of this name. */
  readonly failures: { call: string; error: Error }[] = [];
  unreadableKeys: ReadonlySet<string> = new Set();
  isBehind = false;
  #drained: (() => void)[] = [];

  add(entry: Entry<T>): void {
    this.#call('add', `${entry.key}@${entry.resourceVersion}`);
    this.entries.set(entry.key, entry);
  }

  update(entry: Entry<T>): void {
    this.#call('update', `${entry.key}@${entry.resourceVersion}`);
    this.entries.set(entry.key, entry);
  }

  delete(entry: Entry<T>): void {
    this.#call('delete', `${entry.key}@${entry.resourceVersion}`);
    this.entries.delete(entry.key);
  }

  replace(
    entries: Iterable<Entry<T>>,
    resourceVersion: string,
    unreadableKeys: ReadonlySet<string> = new Set(),
  ): void {
    const list = [...entries];
    this.#call('replace', `${list.map((entry) => entry.key).join(',')}@${resourceVersion}`);
    this.unreadableKeys = unreadableKeys;
    const kept = [...unreadableKeys].map((key) => this.entries.get(key));
    this.entries.clear();
    for (const entry of [...list, ...kept]) if (entry !== undefined) this.entries.set(entry.key, entry);
  }

  resync(): void {
    this.#call('resync', '');
  }

  bookmark(resourceVersion: string): void {
    this.#call('bookmark', resourceVersion);
  }

  drained(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  catchUp(): void {
    this.isBehind = false;
    for (const resolve of this.#drained.splice(0)) resolve();
  }

  /** What is in the store, as `key@resourceVersion`. */
  get contents(): string[] {
    return [...this.entries.values()].map((entry) => `${entry.key}@${entry.resourceVersion}`).sort();
  }

  #call(name: string, what: string): void {
    this.calls.push(what === '' ? name : `${name} ${what}`);
    const index = this.failures.findIndex((failure) => failure.call === name);
    if (index >= 0) throw this.failures.splice(index, 1)[0]?.error;
  }
}
