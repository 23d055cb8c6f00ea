import { isDeepStrictEqual } from 'node:util';
import type { DeleteDetails } from '#dist/src/informer/handlers/event-handler.js';
import type { SharedInformer } from '#dist/src/informer/shared-informer.js';
import { compareResourceVersion } from '#dist/src/kube/compare-resource-version.js';
import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { Entry } from '#dist/src/store/entry.js';
import type { EngineContext } from './engine-schedule.js';
import { objectOf } from './sim-objects.js';

/** Folds its notifications into a state and reports impossible ones. Sometimes it is slow, throws or hangs. */
export class CheckingHandler {
  readonly fold = new Map<string, string>();
  readonly name: string;
  readonly #context: EngineContext;
  readonly #informer: SharedInformer<KubernetesObject>;
  readonly #hasResync: boolean;
  /** Resolves the call that hangs. */
  #release: (() => void) | undefined;
  isEnded = false;

  constructor(
    context: EngineContext,
    informer: SharedInformer<KubernetesObject>,
    options: { readonly name: string; readonly hasResync: boolean },
  ) {
    this.#context = context;
    this.#informer = informer;
    this.name = options.name;
    this.#hasResync = options.hasResync;
  }

  get isHanging(): boolean {
    return this.#release !== undefined;
  }

  release(): void {
    this.#release?.();
    this.#release = undefined;
  }

  onAdd(entry: Entry): void | Promise<void> {
    if (this.fold.has(entry.key)) this.#violation(`add of ${entry.key} while it is present`);
    this.fold.set(entry.key, identity(entry));
    return this.#react('add', entry);
  }

  onUpdate(before: Entry, after: Entry): void | Promise<void> {
    const previous = this.fold.get(after.key);
    if (previous !== identity(before)) {
      this.#violation(`update of ${after.key} from ${identity(before)}, last notified of ${previous}`);
    }
    const order = compareResourceVersion(after.resourceVersion, before.resourceVersion);
    if (order === -1) this.#violation(`update of ${after.key} decreases its version`);
    if (order === 0 && !this.#hasResync && before.uid === after.uid) {
      this.#violation(`update of ${after.key}@${after.resourceVersion} twice`);
    }
    this.fold.set(after.key, identity(after));
    return this.#react('update', after);
  }

  onDelete(entry: Entry, { before }: DeleteDetails): void | Promise<void> {
    const previous = this.fold.get(entry.key);
    if (!this.fold.delete(entry.key)) this.#violation(`delete of ${entry.key} while it is absent`);
    else if (previous !== identity(before)) {
      this.#violation(`delete of ${entry.key} from ${identity(before)}, last notified of ${previous}`);
    }
    return this.#react('delete', entry);
  }

  #react(type: string, entry: Entry): void | Promise<void> {
    const { clock, faults, random, trace } = this.#context;
    const line = `${this.name} ${type} ${entry.key}@${entry.resourceVersion}`;
    trace.line(line);
    if (this.isEnded) this.#violation(`${line} after the end`);
    if (type !== 'delete') this.#checkObject(entry);
    this.#checkCache(type, entry);
    if (faults.strikes('handler-throws')) throw new Error('sim: the handler throws');
    if (faults.strikes('handler-hangs')) {
      return new Promise((resolve) => {
        this.#release = resolve;
      });
    }
    if (!faults.strikes('handler-slow')) return undefined;
    return new Promise((resolve) => clock.schedule(resolve, random.between(1, 10_000)));
  }

  #checkObject(entry: Entry): void {
    const { name, uid, resourceVersion } = entry;
    const era = this.#context.history.eraOf(resourceVersion);
    const live = { name, uid, resourceVersion, ...(era !== undefined && { era }) };
    if (!isDeepStrictEqual(entry.object, objectOf(live))) {
      this.#violation(`${entry.key}@${resourceVersion} differs from the server's object`);
    }
  }

  /** The indexer is at least as new as the notification. */
  #checkCache(type: string, { key, resourceVersion }: Entry): void {
    if (type === 'delete') return;
    const stored = this.#informer.indexer.getByKey(key);
    const order = stored && compareResourceVersion(stored.resourceVersion, resourceVersion);
    if (order === -1) this.#violation(`notified of ${key}@${resourceVersion} before it was stored`);
  }

  #violation(message: string): void {
    this.#context.violate(`${this.name}: ${message}`);
  }
}

export function identity(entry: Entry): string {
  return `${entry.uid}@${entry.resourceVersion}`;
}
