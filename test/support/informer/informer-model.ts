import type { DeleteDetails } from '#dist/src/informer/handlers/event-handler.js';
import type { HandlerRegistration } from '#dist/src/informer/handlers/handler-registration.js';
import type { Entry } from '#dist/src/store/entry.js';
import { entry, type Pod } from '../objects/entries.js';
import { InformerHarness } from './informer-harness.js';

interface Logged {
  readonly type: 'add' | 'update' | 'delete';
  readonly entry: Entry<Pod>;
}

/** A collection with a history, as simple as can be: the plain Map that everything is compared with. */
export class Server {
  version = 1;
  readonly state = new Map<string, Entry<Pod>>();
  readonly log: Logged[] = [];
  /** The collection as of each version. */
  readonly history: Map<string, string>[] = [new Map(), new Map()];
  #uids = 0;

  write(name: string): void {
    const known = this.state.get(name);
    const uid = known?.uid ?? `uid-${++this.#uids}`;
    const written = entry(name, ++this.version, { uid, nodeName: `node-${this.version % 3}` });
    this.state.set(name, written);
    this.#logged({ type: known ? 'update' : 'add', entry: written });
  }

  remove(name: string): void {
    const known = this.state.get(name);
    if (known === undefined) return;
    this.state.delete(name);
    this.#logged({ type: 'delete', entry: entry(name, ++this.version, { uid: known.uid }) });
  }

  #logged(event: Logged): void {
    this.log.push(event);
    this.history.push(new Map([...this.state].map(([name, e]) => [name, identity(e)])));
  }
}

export type HandlerKind = 'plain' | 'throwing' | 'async' | 'hanging';

/** A handler that checks everything it is told against the invariants of spec/reliability.md §3. */
export class CheckingHandler {
  /** What the handler would believe the collection to be. */
  readonly fold = new Map<string, string>();
  readonly #world: InformerWorld;
  readonly #kind: HandlerKind;
  readonly #told = new Set<string>();
  #release: (() => void) | undefined;
  #isInitialCallRunning = false;
  isRemoved = false;
  isDraining = false;
  registration: HandlerRegistration<Pod> | undefined;

  constructor(world: InformerWorld, kind: HandlerKind) {
    this.#world = world;
    this.#kind = kind;
  }

  onAdd(e: Entry<Pod>, { isInInitialList }: { isInInitialList: boolean }): void | Promise<void> {
    must(!this.fold.has(e.name), 'S9 handler automaton: add while present', e);
    this.#expectOnce('add', e);
    this.fold.set(e.name, identity(e));
    if (isInInitialList) {
      must(!this.registration?.hasSynced, 'S13 hasSynced: no initial add after it', e);
      this.#isInitialCallRunning = true;
    }
    return this.#react(e);
  }

  onUpdate(before: Entry<Pod>, after: Entry<Pod>, { isResync }: { isResync: boolean }): void | Promise<void> {
    must(this.fold.has(after.name), 'S9 handler automaton: update while absent', after);
    must(this.fold.get(after.name) === identity(before), 'S10 chained old values', after);
    if (isResync) must(identity(before) === identity(after), 'a resync changes nothing', after);
    else this.#expectOnce('update', after);
    this.fold.set(after.name, identity(after));
    return this.#react(after);
  }

  onDelete(e: Entry<Pod>, { finalStateUnknown, before }: DeleteDetails<Pod>): void | Promise<void> {
    const known = this.fold.get(e.name);
    must(known === identity(before), 'S10 chained old values, also of deletions', e);
    must(known !== undefined, 'S9 handler automaton: delete while absent', e);
    const knownVersion = Number(known?.split('@')[1]);
    must(Number(e.resourceVersion) >= knownVersion, 'S10 delete carries the last known state', e);
    if (!finalStateUnknown) this.#expectOnce('delete', e);
    this.fold.delete(e.name);
    return this.#react(e, true);
  }

  release(): void {
    this.#release?.();
    this.#release = undefined;
  }

  check(): void {
    if (this.#isInitialCallRunning) {
      must(!this.registration?.hasSynced, 'S13 hasSynced: calls for initial objects have returned');
    }
    const { server, mergeAbove } = this.#world;
    // Nodes before a segment, the segment, and nodes behind it: each at most two per key that was ever used, or the watermark.
    const bound =
      2 * Math.max(mergeAbove + 1, 2 * NAMES.length) + server.history.length * 0 + 2 * NAMES.length;
    must((this.registration?.pending ?? 0) <= bound, 'S20 bounded memory');
  }

  #react(e: Entry<Pod>, isDeletion = false): void | Promise<void> {
    must(!this.isRemoved || this.isDraining, 'S24 no call after removal', e);
    must(!this.#world.isStopped, 'S24 no call after stop', e);
    const stored = this.#world.h.informer.lister.entry(e.key);
    if (stored !== undefined && !isDeletion) {
      must(Number(stored.resourceVersion) >= Number(e.resourceVersion), 'S15 cache before call', e);
    }
    this.#world.calls++;
    if (this.#kind === 'throwing') {
      this.#isInitialCallRunning = false;
      throw ON_PURPOSE;
    }
    if (this.#kind === 'async') {
      return Promise.resolve().then(() => {
        this.#isInitialCallRunning = false;
      });
    }
    if (this.#kind === 'hanging') {
      return new Promise<void>((resolve) => {
        this.#release = () => {
          this.#isInitialCallRunning = false;
          resolve();
        };
      });
    }
    this.#isInitialCallRunning = false;
  }

  #expectOnce(type: string, e: Entry<Pod>): void {
    const id = `${type} ${e.name} ${identity(e)}`;
    must(!this.#told.has(id), 'S11 no duplicate', e);
    this.#told.add(id);
  }
}

export const NAMES = ['a', 'b', 'c', 'constructor'] as const;

/** An informer, its server, its handlers, and the checks that must hold at every turn of the event loop. */
export class InformerWorld {
  readonly server = new Server();
  readonly h: InformerHarness;
  readonly mergeAbove: number;
  readonly handlers: CheckingHandler[] = [];
  readonly #removed: CheckingHandler[] = [];
  /** How much of the server's log the informer was given. */
  delivered = 0;
  hasListed = false;
  isStopped = false;
  calls = 0;
  #lastVersion = 0;

  constructor(options: { itemsPerSlice: number; mergeAbove: number }) {
    this.mergeAbove = options.mergeAbove;
    this.h = new InformerHarness({
      ...options,
      resyncPeriodMs: 1000,
      slowHandlerMs: 1e9,
      indexers: { byNode: 'spec.nodeName' },
      mutationDetector: 'compare',
    });
    this.h.clock.onTurn = () => this.check();
    this.addHandler('plain');
    this.h.informer.start();
  }

  addHandler(kind: HandlerKind): void {
    const handler = new CheckingHandler(this, kind);
    handler.registration = this.h.informer.addEventHandler(handler);
    this.handlers.push(handler);
  }

  removeHandler(index: number, drain: boolean): void {
    const [handler] = this.handlers.splice(index % this.handlers.length, 1);
    if (handler === undefined) return;
    handler.isRemoved = true;
    handler.isDraining = drain;
    void handler.registration?.remove({ drain });
    this.#removed.push(handler);
  }

  /** Lets those go on who hang. */
  release(): void {
    for (const handler of [...this.handlers, ...this.#removed]) handler.release();
  }

  deliver(count: number): void {
    for (const { type, entry: e } of this.server.log.slice(this.delivered, this.delivered + count)) {
      this.h.store[type](e);
    }
    this.delivered = Math.min(this.server.log.length, this.delivered + count);
  }

  /** What a watch that resumed too early would send: events of objects that are still there, again. */
  redeliver(count: number): void {
    for (const { type, entry: e } of this.server.log.slice(0, this.delivered).slice(-count)) {
      if (this.h.informer.lister.entry(e.key) !== undefined && this.isSettled) this.h.store[type](e);
    }
  }

  /** Nothing is queued that could delete what `redeliver` looks at. */
  get isSettled(): boolean {
    return this.h.informer.health().queued === 0 && this.#lastVersion === this.#deliveredVersion;
  }

  get #deliveredVersion(): number {
    return Number(this.server.log[this.delivered - 1]?.entry.resourceVersion ?? 1);
  }

  relist(): void {
    this.h.store.replace([...this.server.state.values()], String(this.server.version));
    this.delivered = this.server.log.length;
    this.hasListed = true;
  }

  check(): void {
    const { informer } = this.h;
    const version = Number(informer.lastStoreSyncResourceVersion || 0);
    must(version >= this.#lastVersion, 'S3 no time travel');
    this.#lastVersion = version;
    must(version > 0 || !informer.hasSynced, 'S13 hasSynced: only after the first list');
    const stored = new Map(informer.indexer.list().map((e) => [e.name, identity(e)]));
    // Also S1 no invention, S4 per-key order and S8 atomic replace: the store is never anything else.
    must(isEqual(stored, this.server.history[version] ?? new Map()), 'S2 exact cut');
    this.#checkIndexes();
    this.#checkErrors();
    for (const handler of this.handlers) handler.check();
  }

  #checkIndexes(): void {
    const { indexer } = this.h.informer;
    for (const [name, value] of [
      ['byNode', (e: Entry<Pod>) => e.object.spec?.nodeName ?? ''],
      ['namespace', (e: Entry<Pod>) => e.namespace],
    ] as const) {
      const expected = new Map<string, string[]>();
      for (const e of indexer.list()) {
        const keys = expected.get(value(e)) ?? [];
        keys.push(e.key);
        expected.set(value(e), keys);
      }
      const values = indexer.listIndexFuncValues(name);
      must(values.length === expected.size, 'S16 index agreement: no empty bucket');
      for (const [bucket, keys] of expected) {
        must(indexer.indexKeys(name, bucket).join() === keys.sort().join(), 'S16 index agreement');
      }
    }
  }

  /** Faults end: everything is delivered, and everybody may finish. Then the end of the informer. */
  async finish(): Promise<void> {
    if (!this.hasListed) this.relist();
    this.deliver(Number.POSITIVE_INFINITY);
    for (let i = 0; i < 500; i++) {
      await this.h.clock.drain();
      this.release();
      if ([...this.handlers, ...this.#removed].every((handler) => handler.registration?.pending === 0)) break;
    }
    await this.h.clock.drain();
    this.release();
    await this.h.clock.drain();
    this.check();
    const final = new Map([...this.server.state].map(([name, e]) => [name, identity(e)]));
    const stored = new Map(this.h.informer.indexer.list().map((e) => [e.name, identity(e)]));
    must(isEqual(stored, final), 'L1 convergence');
    for (const handler of this.handlers) {
      must(isEqual(handler.fold, final), 'L2 last word, L4 no lost delete, S14 late handler');
      must(handler.registration?.hasSynced === true, 'S13 every handler that could finish has synced');
    }
    this.isStopped = true;
    await this.h.stop();
    must(this.h.clock.pendingTimers === 0, 'S24 no timer after stop');
    must(!this.h.clock.turn(), 'S24 nothing waits for a turn after stop');
    this.#checkErrors();
  }

  /** Also what a handler found wrong: the listener caught it, as it should. */
  #checkErrors(): void {
    for (const error of this.h.errors) if (error.cause !== ON_PURPOSE) throw error.cause ?? error;
  }
}

const ON_PURPOSE = new Error('on purpose');

function must(isTrue: boolean, invariant: string, e?: Entry<Pod>): void {
  if (!isTrue) throw new Error(`${invariant}${e ? `: ${e.name} ${identity(e)}` : ''}`);
}

function isEqual(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}

function identity(e: Entry<Pod>): string {
  return `${e.uid}@${e.resourceVersion}`;
}
