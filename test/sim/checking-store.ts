import { compareResourceVersion } from '#dist/src/kube/compare-resource-version.js';
import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { Entry } from '#dist/src/store/entry.js';
import type { ReflectorStore } from '#dist/src/store/reflector-store.js';
import { type ApiServer, keyOf, type ReflectorContext } from './api-server.js';

/** The reflector violated its contract. */
export class Violation extends Error {}

/**
 * The reflector's store in the simulation: after every call it compares its contents with the state of the server at
 * that version.
 */
export class CheckingStore implements ReflectorStore<KubernetesObject> {
  readonly #context: ReflectorContext;
  readonly #server: ApiServer;
  readonly contents = new Map<string, Entry>();
  /** Keys that may differ from the server: unreadable objects, and those that a list omitted without a name. */
  #exempt = new Set<string>();
  #version = '';
  /** The version of the last call with objects: nothing at or below it may be passed in again. */
  #appliedVersion = '';
  #behindUntilMs = 0;
  isSynced = false;
  /** Receives every call that passed the checks. */
  forwardTo: ReflectorStore<KubernetesObject> | undefined;

  constructor(context: ReflectorContext, server: ApiServer) {
    this.#context = context;
    this.#server = server;
  }

  get version(): string {
    return this.#version;
  }

  add(entry: Entry): void {
    this.#change('ADDED', entry);
  }

  update(entry: Entry): void {
    this.#change('MODIFIED', entry);
  }

  delete(entry: Entry): void {
    this.#change('DELETED', entry);
  }

  replace(
    entries: Iterable<Entry>,
    resourceVersion: string,
    unreadableKeys: ReadonlySet<string> = new Set(),
  ): void {
    const { trace, faults } = this.#context;
    const list = [...entries];
    trace.line(`store replace ${list.length} at ${resourceVersion}`);
    if (faults.strikes('store-replace-throws')) throw new Error('sim: the store is full');
    this.#expectNotBack(this.#version, resourceVersion, 'a replace');
    const kept = [...unreadableKeys].flatMap((key) => this.contents.get(key) ?? []);
    this.contents.clear();
    for (const entry of [...list, ...kept]) this.contents.set(entry.key, entry);
    this.#exempt = new Set([...unreadableKeys, ...this.#server.omittedKeys]);
    this.#server.omittedKeys.clear();
    if (this.#exempt.size > 0) trace.count('path degraded list taken');
    this.isSynced = true;
    this.#appliedVersion = resourceVersion;
    this.#moveTo(resourceVersion, 'replace');
    trace.count('path replace');
    this.forwardTo?.replace(list, resourceVersion, unreadableKeys);
  }

  resync(): void {
    this.#context.trace.line('store resync');
    this.#context.trace.count('path resync');
    if (this.#context.faults.strikes('resync-throws')) throw new Error('sim: no resync now');
    this.forwardTo?.resync();
  }

  bookmark(resourceVersion: string): void {
    this.#context.trace.line(`store bookmark ${resourceVersion}`);
    this.#expectNotBack(this.#version, resourceVersion, 'a bookmark');
    this.#version = resourceVersion;
    if (!this.#server.falseBookmarks.has(resourceVersion)) this.#moveTo(resourceVersion, 'bookmark');
    this.forwardTo?.bookmark?.(resourceVersion);
  }

  get isBehind(): boolean {
    const { clock, faults, random } = this.#context;
    if (clock.now() >= this.#behindUntilMs && faults.strikes('store-behind')) {
      this.#behindUntilMs = clock.now() + random.between(1, 20_000);
    }
    return clock.now() < this.#behindUntilMs || this.forwardTo?.isBehind === true;
  }

  async drained(signal: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    await this.forwardTo?.drained?.(signal);
    return new Promise((resolve) => {
      const timer = clock.schedule(() => finish(), Math.max(0, this.#behindUntilMs - clock.now()));
      const finish = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', finish);
        resolve();
      };
      signal.addEventListener('abort', finish);
    });
  }

  /** True if the contents equal the server's current state. */
  get matchesServer(): boolean {
    return this.isSynced && this.differences().length === 0;
  }

  /** True if the contents differ from the server's only in keys that could not be read. */
  get differsOnlyInExempt(): boolean {
    return this.isSynced && this.#compare(this.#context.history.latest, this.#exempt).length === 0;
  }

  differences(): string[] {
    if (!this.isSynced) return ['no list was stored'];
    return this.#compare(this.#context.history.latest, new Set());
  }

  #change(type: 'ADDED' | 'MODIFIED' | 'DELETED', entry: Entry): void {
    const { trace, faults, history } = this.#context;
    const { key, resourceVersion } = entry;
    trace.line(`store ${type} ${key}@${resourceVersion}`);
    if (!this.isSynced) throw new Violation(`${type} ${key} before the first list`);
    const order = compareResourceVersion(resourceVersion, this.#appliedVersion);
    if (order !== undefined && order <= 0)
      throw new Violation(`${key}@${resourceVersion} came after ${this.#appliedVersion}`);
    this.#expectNotBack(this.#version, resourceVersion, key);
    const revision = history.revisionOf(resourceVersion);
    const real = history.change(revision);
    if (keyOf(real.name) !== key || real.type !== type)
      throw new Violation(`${type} ${key}@${resourceVersion} does not exist in the history`);
    if (faults.strikes('store-throws')) throw new Error('sim: the store is full');
    if (type === 'DELETED') this.contents.delete(key);
    else this.contents.set(key, entry);
    this.#exempt.delete(key);
    this.#appliedVersion = resourceVersion;
    this.#moveTo(resourceVersion, `${type} ${key}`);
    if (type === 'ADDED') this.forwardTo?.add(entry);
    else if (type === 'MODIFIED') this.forwardTo?.update(entry);
    else this.forwardTo?.delete(entry);
  }

  #moveTo(resourceVersion: string, what: string): void {
    this.#version = resourceVersion;
    const revision = this.#context.history.revisionOf(resourceVersion);
    if (Number.isNaN(revision))
      throw new Violation(`${what}: version ${resourceVersion} was never sent by the server`);
    const differing = this.#compare(revision, this.#exempt);
    if (differing.length === 0) return;
    throw new Violation(
      `after ${what} the store is not what the server was at ${resourceVersion}: ${differing.join(', ')}`,
    );
  }

  #expectNotBack(from: string, to: string, what: string): void {
    const order = compareResourceVersion(to, from);
    if (order !== undefined && order < 0) throw new Violation(`${what} decreases from ${from} to ${to}`);
  }

  #compare(revision: number, exempt: ReadonlySet<string>): string[] {
    const expected = this.#context.history.stateAt(revision);
    const differing: string[] = [];
    for (const live of expected.values()) {
      const key = keyOf(live.name);
      const entry = this.contents.get(key);
      if (exempt.has(key)) continue;
      if (entry === undefined) differing.push(`${key} is missing`);
      else if (entry.resourceVersion !== live.resourceVersion || entry.uid !== live.uid) {
        differing.push(`${key} is at ${entry.resourceVersion}, not ${live.resourceVersion}`);
      }
    }
    for (const [key, entry] of this.contents) {
      if (!exempt.has(key) && !expected.has(entry.name)) differing.push(`${key} was deleted`);
    }
    return differing;
  }
}
