import { compareResourceVersion } from '#dist/src/kube/compare-resource-version.js';
import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { Entry } from '#dist/src/store/entry.js';
import type { ReflectorStore } from '#dist/src/store/reflector-store.js';
import { type ApiServer, keyOf, type World } from './api-server.js';

/** A promise of the reflector was broken. */
export class Violation extends Error {}

/**
 * The reflector's store in the simulation: holds what it is given and compares it, after every call, with what the
 * server was at that version (S1 to S4, S7, S8 of spec/reliability.md).
 */
export class CheckingStore implements ReflectorStore<KubernetesObject> {
  readonly #world: World;
  readonly #server: ApiServer;
  readonly contents = new Map<string, Entry>();
  /** Keys that may differ from the server: unreadable ones, and those that a list left out without a name. */
  #excused = new Set<string>();
  #version = '';
  /** The version of the last call that brought objects: nothing at or below it may come again. */
  #appliedVersion = '';
  #behindUntilMs = 0;
  isSynced = false;
  /** Where everything goes that was found right. */
  forwardTo: ReflectorStore<KubernetesObject> | undefined;

  constructor(world: World, server: ApiServer) {
    this.#world = world;
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
    const { trace, faults } = this.#world;
    const list = [...entries];
    trace.line(`store replace ${list.length} at ${resourceVersion}`);
    if (faults.strikes('store-replace-throws')) throw new Error('sim: the store is full');
    this.#expectNotBack(this.#version, resourceVersion, 'a replace');
    const kept = [...unreadableKeys].flatMap((key) => this.contents.get(key) ?? []);
    this.contents.clear();
    for (const entry of [...list, ...kept]) this.contents.set(entry.key, entry);
    this.#excused = new Set([...unreadableKeys, ...this.#server.leftOut]);
    this.#server.leftOut.clear();
    if (this.#excused.size > 0) trace.count('path degraded list taken');
    this.isSynced = true;
    this.#appliedVersion = resourceVersion;
    this.#moveTo(resourceVersion, 'replace');
    trace.count('path replace');
    this.forwardTo?.replace(list, resourceVersion, unreadableKeys);
  }

  resync(): void {
    this.#world.trace.line('store resync');
    this.#world.trace.count('path resync');
    if (this.#world.faults.strikes('resync-throws')) throw new Error('sim: no resync now');
    this.forwardTo?.resync();
  }

  bookmark(resourceVersion: string): void {
    this.#world.trace.line(`store bookmark ${resourceVersion}`);
    this.#expectNotBack(this.#version, resourceVersion, 'a bookmark');
    this.#version = resourceVersion;
    if (!this.#server.lies.has(resourceVersion)) this.#moveTo(resourceVersion, 'bookmark');
    this.forwardTo?.bookmark?.(resourceVersion);
  }

  get isBehind(): boolean {
    const { clock, faults, random } = this.#world;
    if (clock.now() >= this.#behindUntilMs && faults.strikes('store-behind')) {
      this.#behindUntilMs = clock.now() + random.between(1, 20_000);
    }
    return clock.now() < this.#behindUntilMs || this.forwardTo?.isBehind === true;
  }

  async drained(signal: AbortSignal): Promise<void> {
    const { clock } = this.#world;
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

  /** Exactly what the server has now. */
  get isRight(): boolean {
    return this.isSynced && this.differences().length === 0;
  }

  /** Wrong only in what could not be read. */
  get isExcused(): boolean {
    return this.isSynced && this.#compare(this.#world.history.latest, this.#excused).length === 0;
  }

  differences(): string[] {
    if (!this.isSynced) return ['no list at all'];
    return this.#compare(this.#world.history.latest, new Set());
  }

  #change(type: 'ADDED' | 'MODIFIED' | 'DELETED', entry: Entry): void {
    const { trace, faults, history } = this.#world;
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
      throw new Violation(`${type} ${key}@${resourceVersion} never happened`);
    if (faults.strikes('store-throws')) throw new Error('sim: the store is full');
    if (type === 'DELETED') this.contents.delete(key);
    else this.contents.set(key, entry);
    this.#excused.delete(key);
    this.#appliedVersion = resourceVersion;
    this.#moveTo(resourceVersion, `${type} ${key}`);
    if (type === 'ADDED') this.forwardTo?.add(entry);
    else if (type === 'MODIFIED') this.forwardTo?.update(entry);
    else this.forwardTo?.delete(entry);
  }

  #moveTo(resourceVersion: string, what: string): void {
    this.#version = resourceVersion;
    const revision = this.#world.history.revisionOf(resourceVersion);
    if (Number.isNaN(revision))
      throw new Violation(`${what}: version ${resourceVersion} was never given out`);
    const differing = this.#compare(revision, this.#excused);
    if (differing.length === 0) return;
    throw new Violation(
      `after ${what} the store is not what the server was at ${resourceVersion}: ${differing.join(', ')}`,
    );
  }

  #expectNotBack(from: string, to: string, what: string): void {
    const order = compareResourceVersion(to, from);
    if (order !== undefined && order < 0) throw new Violation(`${what} goes back from ${from} to ${to}`);
  }

  #compare(revision: number, excused: ReadonlySet<string>): string[] {
    const expected = this.#world.history.stateAt(revision);
    const differing: string[] = [];
    for (const live of expected.values()) {
      const key = keyOf(live.name);
      const entry = this.contents.get(key);
      if (excused.has(key)) continue;
      if (entry === undefined) differing.push(`${key} is missing`);
      else if (entry.resourceVersion !== live.resourceVersion || entry.uid !== live.uid) {
        differing.push(`${key} is at ${entry.resourceVersion}, not ${live.resourceVersion}`);
      }
    }
    for (const [key, entry] of this.contents) {
      if (!excused.has(key) && !expected.has(entry.name)) differing.push(`${key} is a ghost`);
    }
    return differing;
  }
}
