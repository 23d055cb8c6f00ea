import type { KubernetesObject } from '#dist/src/kube/object.js';
import type { Status } from '#dist/src/kube/status.js';
import type {
  ListChunk,
  ListerWatcher,
  ListOptions,
  Rejected,
  WatchChunk,
  WatchEntry,
  WatchOptions,
} from '#dist/src/reflector/lister-watcher.js';
import type { Entry } from '#dist/src/store/entry.js';
import type { SeededRandom } from '../support/time/seeded-random.js';
import type { VirtualClock } from '../support/time/virtual-clock.js';
import type { Faults, ServerFault } from './faults.js';
import type { History, Live, Revision } from './history.js';
import type { Subject } from './subject.js';
import type { Trace } from './trace.js';

/** How long a server waits for its cache to reach the version asked for. */
const FRESHNESS_MS = 3000;
const NAMESPACE = 'sim';

const LIST_KINDS: ReadonlyMap<string, string> = new Map([
  ['0', 'of anything'],
  ['', 'of the most recent'],
]);

export type RequestKind = 'list' | 'watch' | 'streaming list';

/** One API server of several behind one address: its cache follows the storage with a delay, and remembers only so far back. */
interface Replica {
  /** What its cache has seen. */
  revision: number;
  /** Events at or before this are forgotten. */
  forgotten: number;
}

/** What a server needs of the world. */
export interface ServerWorld {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly trace: Trace;
  readonly faults: { strikes(fault: ServerFault): boolean };
  readonly history: History;
  readonly subject: Pick<Subject, 'ObjectEntry' | 'ApiStatusError' | 'TransportError'>;
}

export interface World extends ServerWorld {
  readonly faults: Faults;
  readonly subject: Subject;
}

/** A server in memory that answers as an API server does, and lies and fails as the faults say. */
export class ApiServer implements ListerWatcher<KubernetesObject> {
  readonly #world: ServerWorld;
  readonly #replicas: Replica[];
  /** Storage revisions at or before this are gone: lists at them, and their tokens, are expired. */
  #compacted = 0;
  readonly #waiters = new Set<() => void>();
  /** Objects that nobody can read until they are written again. */
  readonly poisoned = new Set<string>();
  /** Names of items that were left out of a list under no name; whoever takes such a list is excused for them. */
  readonly leftOut = new Set<string>();
  /** Bookmarks that were not true. */
  readonly lies = new Set<string>();
  /** List and watch requests, later pages not counted. */
  readonly requests: { readonly kind: RequestKind; readonly atMs: number }[] = [];
  readonly hasWatchCache: boolean;

  constructor(world: ServerWorld) {
    this.#world = world;
    this.#replicas = Array.from({ length: world.random.between(1, 3) }, () => ({
      revision: 0,
      forgotten: 0,
    }));
    this.hasWatchCache = world.random.chance(0.8);
  }

  // What the writers and the keeper of the cluster do

  write(name: string): void {
    const { history, trace } = this.#world;
    this.poisoned.delete(name);
    trace.line(`write ${name}@${history.put(name).resourceVersion}`);
    this.#notice();
  }

  remove(name: string): void {
    const revision = this.#world.history.delete(name);
    if (revision === undefined) return;
    this.#world.trace.line(`remove ${name}@${revision.resourceVersion}`);
    this.#notice();
  }

  poison(name: string): void {
    if (!this.#world.history.stateAt(this.#world.history.latest).has(name)) return;
    this.write(name);
    this.poisoned.add(name);
    this.#world.trace.line(`poison ${name}`);
  }

  /** One replica sees more of the storage. */
  catchUp(replica: Replica = this.#world.random.pick(this.#replicas)): void {
    const { history, random } = this.#world;
    replica.revision = random.between(replica.revision, history.latest);
    this.#wake();
  }

  catchUpAll(): void {
    for (const replica of this.#replicas) replica.revision = this.#world.history.latest;
    this.#wake();
  }

  compact(): void {
    const { history, random, trace } = this.#world;
    this.#compacted = random.between(this.#compacted, history.latest);
    trace.line(`compact to ${this.#compacted}`);
    for (const replica of this.#replicas) {
      if (random.chance(0.5))
        replica.forgotten = Math.min(replica.revision, Math.max(replica.forgotten, this.#compacted));
    }
  }

  /** A restarted server knows only what came after its own first list. */
  restartReplica(): void {
    const replica = this.#world.random.pick(this.#replicas);
    replica.revision = this.#world.history.latest;
    replica.forgotten = replica.revision;
    this.#world.trace.line('restart of a replica');
    this.#wake();
  }

  // List

  async *list(options: ListOptions, signal: AbortSignal): AsyncGenerator<ListChunk<KubernetesObject>> {
    const { history, random, trace, faults } = this.#world;
    const { resourceVersion, limit, continue: token } = options;
    trace.line(`list '${resourceVersion}' limit ${limit ?? '-'} ${token ?? ''}`);
    if (token === undefined) {
      this.#countRequest('list');
      trace.count(
        `path list ${LIST_KINDS.get(resourceVersion) ?? 'at a version'}${limit === undefined ? '' : ', paged'}`,
      );
    } else trace.count('path list page');
    await this.#answer(signal);
    if (faults.strikes('list-stalls')) await this.#silence(signal);
    if (faults.strikes('list-expired')) throw this.#status(EXPIRED);
    if (token !== undefined && faults.strikes('list-token-expired')) throw this.#status(EXPIRED);

    const { revision, start, isPaged } = await this.#snapshot(options, signal);
    const state = [...history.stateAt(revision).values()].filter((live) => live.name >= start);
    const isMore = isPaged && limit !== undefined && state.length > limit;
    const page = isMore ? state.slice(0, limit) : state;
    const next = isMore ? `${revision}/${state[limit]?.name}` : '';
    const version = history.versionOf(revision);
    if (random.chance(0.5)) yield { type: 'begin', resourceVersion: version, continue: next };
    for (let at = 0; at < page.length || at === 0; ) {
      const size = random.between(1, 5);
      yield this.#items(page.slice(at, at + size));
      at += size;
      if (faults.strikes('delayed-answer')) await this.#sleep(random.between(1, 2000), signal);
      if (faults.strikes('list-truncated')) return;
      if (faults.strikes('list-reset')) throw this.#transport('ECONNRESET');
    }
    yield { type: 'end', resourceVersion: version, continue: next };
  }

  async #snapshot(options: ListOptions, signal: AbortSignal) {
    const { history, random, faults } = this.#world;
    const { resourceVersion, continue: token, limit } = options;
    if (token !== undefined) {
      const [revision = '', start = ''] = token.split('/');
      if (Number(revision) < this.#compacted) throw this.#status(EXPIRED);
      return { revision: Number(revision), start, isPaged: true };
    }
    const replica = random.pick(this.#replicas);
    if (resourceVersion === '0') {
      // Without a watch cache the storage answers, and pages for real.
      const revision = this.hasWatchCache ? replica.revision : history.latest;
      return { revision, start: '', isPaged: !this.hasWatchCache };
    }
    if (resourceVersion === '') return { revision: history.latest, start: '', isPaged: true };
    const asked = history.revisionOf(resourceVersion);
    if (limit !== undefined) {
      // A version with a limit and without a match is exact, for old times' sake.
      if (asked < this.#compacted) throw this.#status(EXPIRED);
      return { revision: asked, start: '', isPaged: true };
    }
    if (faults.strikes('list-older-than-asked'))
      return { revision: random.between(0, asked), start: '', isPaged: false };
    await this.#untilFresh(replica, asked, signal);
    return { revision: replica.revision, start: '', isPaged: false };
  }

  #items(page: readonly Live[]): Extract<ListChunk<KubernetesObject>, { type: 'items' }> {
    const { faults } = this.#world;
    const entries: Entry[] = [];
    const rejected: Rejected[] = [];
    for (const live of page) {
      if (this.poisoned.has(live.name) || faults.strikes('list-unreadable-item')) {
        rejected.push({ reason: 'undecodable', message: 'sim', key: keyOf(live.name) });
      } else if (faults.strikes('list-unreadable-nameless-item')) {
        rejected.push({ reason: 'undecodable', message: 'sim' });
        this.leftOut.add(keyOf(live.name));
      } else {
        entries.push(this.#entry(live));
      }
      if (faults.strikes('list-wrong-kind'))
        rejected.push({ reason: 'wrong-type', message: 'sim', key: 'sim/other' });
    }
    return { type: 'items', entries, rejected };
  }

  // Watch

  async *watch(options: WatchOptions, signal: AbortSignal): AsyncGenerator<WatchChunk<KubernetesObject>> {
    const { trace, faults, clock, random, history } = this.#world;
    const isStreamingList = options.sendInitialEvents === true;
    trace.line(
      `${isStreamingList ? 'stream' : 'watch'} '${options.resourceVersion}' ${options.timeoutSeconds}s`,
    );
    this.#countRequest(isStreamingList ? 'streaming list' : 'watch');
    await this.#answer(signal);
    if (isStreamingList && faults.strikes('watch-list-unsupported')) throw this.#status(INVALID);
    if (faults.strikes('watch-expired-status')) throw this.#status(EXPIRED);
    const replica = random.pick(this.#replicas);
    yield { type: 'open' };
    if (faults.strikes('very-short-watch')) return;
    const endsAtMs =
      clock.now() +
      (faults.strikes('short-lived-watch') ? random.between(0, 3000) : options.timeoutSeconds * 1000);
    let revision: number;
    if (isStreamingList) {
      const asked =
        options.resourceVersion === '' ? history.latest : history.revisionOf(options.resourceVersion);
      try {
        await this.#untilFresh(replica, asked, signal);
      } catch {
        yield this.#error(TOO_LARGE);
        return;
      }
      revision = replica.revision;
      const isGoodEnd = yield* this.#initialEvents(revision, signal);
      if (!isGoodEnd) return;
    } else {
      revision =
        options.resourceVersion === '' ? history.latest : history.revisionOf(options.resourceVersion);
      if (revision < replica.forgotten) {
        trace.count('path watch expired by itself');
        yield this.#error(EXPIRED);
        return;
      }
    }
    yield* this.#liveEvents(replica, revision, endsAtMs, signal);
  }

  /** False if the stream ends here. */
  async *#initialEvents(
    revision: number,
    signal: AbortSignal,
  ): AsyncGenerator<WatchChunk<KubernetesObject>, boolean> {
    const { history, random, faults } = this.#world;
    const state = [...history.stateAt(revision).values()];
    for (let at = 0; at < state.length; ) {
      const size = random.between(1, 5);
      const events: WatchEntry<KubernetesObject>[] = [];
      for (const live of state.slice(at, at + size)) {
        const event = this.#objectEvent({ ...live, type: 'ADDED' });
        events.push(event);
        if (faults.strikes('duplicate-event')) events.push(event);
      }
      if (random.chance(0.1)) events.push(this.#bookmark(revision));
      yield { type: 'events', events };
      at += size;
      if (faults.strikes('delayed-events')) await this.#sleep(random.between(1, 5000), signal);
      if (faults.strikes('watch-list-internal')) {
        yield this.#error(INTERNAL);
        return false;
      }
      if (faults.strikes('watch-list-closed-early')) {
        await this.#sleep(random.between(0, 1500), signal);
        return false;
      }
      if (faults.strikes('stream-reset')) throw this.#transport('ECONNRESET');
    }
    if (faults.strikes('watch-list-never-ends')) {
      await this.#silence(signal);
      return false;
    }
    yield { type: 'events', events: [{ ...this.#bookmark(revision), initialEventsEnd: true }] };
    this.#world.trace.count('path streaming list ended well');
    return true;
  }

  async *#liveEvents(
    replica: Replica,
    start: number,
    endsAtMs: number,
    signal: AbortSignal,
  ): AsyncGenerator<WatchChunk<KubernetesObject>> {
    const { clock, random, faults, history, trace } = this.#world;
    let revision = start;
    let bookmarkAtMs = clock.now() + random.between(1000, 60_000);
    for (;;) {
      if (signal.aborted || clock.now() >= endsAtMs) return;
      if (faults.strikes('stream-stalls')) await this.#silence(signal);
      if (replica.revision > revision) {
        if (faults.strikes('delayed-events')) await this.#sleep(random.between(1, 5000), signal);
        if (faults.strikes('bookmark-ahead')) {
          // Said too early, and then contradicted: otherwise nobody could ever know.
          this.lies.add(history.versionOf(replica.revision));
          const late = this.#entryEvent(history.change(revision + 1));
          yield { type: 'events', events: [this.#bookmark(replica.revision), late] };
          return;
        }
        const upTo = Math.min(replica.revision, revision + random.between(1, 4));
        yield* this.#changes(revision, upTo);
        revision = upTo;
      } else if (clock.now() >= bookmarkAtMs) {
        bookmarkAtMs = clock.now() + random.between(1000, 60_000);
        trace.count('path bookmark');
        yield { type: 'events', events: [this.#bookmark(revision)] };
      } else {
        await this.#until(signal, Math.min(endsAtMs, bookmarkAtMs));
      }
      if (faults.strikes('stream-closed')) return;
      if (faults.strikes('stream-reset')) throw this.#transport(random.pick(['ECONNRESET', 'EOF']));
      for (const [fault, status] of ERROR_EVENTS) {
        if (!faults.strikes(fault)) continue;
        yield this.#error(status);
        return;
      }
    }
  }

  *#changes(from: number, upTo: number): Generator<WatchChunk<KubernetesObject>> {
    const { history, faults, random } = this.#world;
    const events: WatchEntry<KubernetesObject>[] = [];
    for (let revision = from + 1; revision <= upTo; revision++) {
      const change = history.change(revision);
      if (faults.strikes('wrong-kind-event'))
        events.push(rejectedEvent('wrong-type', { eventType: 'ADDED', key: 'sim/other' }));
      if (faults.strikes('unknown-event'))
        events.push(rejectedEvent('unknown-event', { eventType: 'HELLO' }));
      if (faults.strikes('unknown-event-with-object')) {
        events.push(rejectedEvent('unknown-event', { eventType: 'RENAMED', key: keyOf(change.name) }));
      }
      if (faults.strikes('unreadable-nameless-event')) events.push(rejectedEvent('undecodable', {}));
      else if (faults.strikes('unreadable-event')) {
        events.push(rejectedEvent('undecodable', { eventType: change.type, key: keyOf(change.name) }));
      } else events.push(this.#objectEvent(change));
      if (faults.strikes('duplicate-event')) events.push(this.#entryEvent(change));
      if (revision > 1 && faults.strikes('stale-event')) {
        events.push(this.#entryEvent(history.change(random.between(1, revision - 1))));
      }
    }
    yield { type: 'events', events };
  }

  #objectEvent(change: Revision): WatchEntry<KubernetesObject> {
    const isLast = this.#world.history.stateAt(this.#world.history.latest).get(change.name)?.resourceVersion;
    if (this.poisoned.has(change.name) && isLast === change.resourceVersion) {
      return rejectedEvent('undecodable', { eventType: change.type, key: keyOf(change.name) });
    }
    return this.#entryEvent(change);
  }

  #entryEvent(change: Revision): WatchEntry<KubernetesObject> {
    return { type: change.type, entry: this.#entry(change) };
  }

  #bookmark(revision: number): Extract<WatchEntry<KubernetesObject>, { type: 'BOOKMARK' }> {
    return {
      type: 'BOOKMARK',
      resourceVersion: this.#world.history.versionOf(revision),
      initialEventsEnd: false,
    };
  }

  #entry({ name, uid, resourceVersion }: Live): Entry {
    const metadata = { namespace: NAMESPACE, name, uid, resourceVersion };
    return new this.#world.subject.ObjectEntry({ apiVersion: 'v1', kind: 'Pod', metadata });
  }

  // Answers and waits

  #countRequest(kind: RequestKind): void {
    this.#world.trace.count(`path request ${kind}`);
    this.requests.push({ kind, atMs: this.#world.clock.now() });
  }

  /** What can go wrong with any request before it is answered. */
  async #answer(signal: AbortSignal): Promise<void> {
    const { faults, random } = this.#world;
    if (faults.strikes('delayed-answer')) await this.#sleep(random.between(1, 5000), signal);
    if (faults.strikes('refused')) throw this.#transport('ECONNREFUSED');
    if (faults.strikes('reset-on-open')) throw this.#transport('ECONNRESET');
    if (faults.strikes('too-many-requests')) throw this.#status({ code: 429 });
    if (faults.strikes('too-many-requests-retry-after')) {
      const seconds = random.between(1, 32);
      throw random.chance(0.5)
        ? this.#status({ code: 429 }, seconds * 1000)
        : this.#status({ code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: seconds } });
    }
    if (faults.strikes('internal-status')) throw this.#status(INTERNAL);
    if (faults.strikes('unavailable-status')) throw this.#status({ code: 503, reason: 'ServiceUnavailable' });
    if (faults.strikes('forbidden-status')) throw this.#status({ code: 403, reason: 'Forbidden' });
  }

  async #untilFresh(replica: Replica, revision: number, signal: AbortSignal): Promise<void> {
    const { clock, trace } = this.#world;
    const giveUpAtMs = clock.now() + FRESHNESS_MS;
    while (replica.revision < revision) {
      if (signal.aborted) throw this.#transport('ABORTED');
      if (clock.now() >= giveUpAtMs) {
        trace.count('path version too large');
        throw this.#status(TOO_LARGE);
      }
      await this.#until(signal, giveUpAtMs);
    }
  }

  /** A connection that is neither dead nor alive. */
  #silence(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const untilMs = this.#world.clock.now() + ms;
    while (this.#world.clock.now() < untilMs && !signal.aborted) await this.#until(signal, untilMs);
  }

  /** Until something happens, or the time has come. */
  #until(signal: AbortSignal, atMs: number): Promise<void> {
    const { clock } = this.#world;
    return new Promise((resolve) => {
      const timer = clock.schedule(() => finish(), Math.max(0, atMs - clock.now()));
      const finish = (): void => {
        timer.cancel();
        this.#waiters.delete(finish);
        signal.removeEventListener('abort', finish);
        resolve();
      };
      this.#waiters.add(finish);
      signal.addEventListener('abort', finish);
      if (signal.aborted) finish();
    });
  }

  #notice(): void {
    for (const replica of this.#replicas) if (this.#world.random.chance(0.5)) this.catchUp(replica);
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#waiters]) wake();
  }

  #error(status: Status): WatchChunk<KubernetesObject> {
    return { type: 'events', events: [{ type: 'ERROR', status }] };
  }

  #status(status: Status, retryAfterMs?: number): Error {
    return new this.#world.subject.ApiStatusError(status, retryAfterMs);
  }

  #transport(errno: string): Error {
    return new this.#world.subject.TransportError(errno, errno);
  }
}

export function keyOf(name: string): string {
  return `${NAMESPACE}/${name}`;
}

function rejectedEvent(reason: Rejected['reason'], place: Partial<Rejected>): WatchEntry<KubernetesObject> {
  return { type: 'REJECTED', rejected: { reason, message: 'sim', ...place } };
}

const EXPIRED: Status = { code: 410, reason: 'Expired', message: 'too old resource version' };
const INTERNAL: Status = { code: 500, reason: 'InternalError', message: 'etcdserver: no leader' };
const INVALID: Status = { code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden' };
const TOO_LARGE: Status = {
  code: 504,
  reason: 'Timeout',
  message: 'Timeout: Too large resource version',
  details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
};

const ERROR_EVENTS = [
  ['expired-event', EXPIRED],
  ['internal-event', INTERNAL],
  ['too-many-requests-event', { code: 429, reason: 'TooManyRequests' }],
  ['storage-read-event', { code: 500, reason: 'StorageReadError' }],
  ['unexpected-error-object', {}],
] as const;
