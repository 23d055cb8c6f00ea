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

/** How long a server waits for its cache to reach the requested version. */
const FRESHNESS_MS = 3000;
const NAMESPACE = 'sim';
const LAST_BOOKMARK_MS = 2000;

const LIST_KINDS: ReadonlyMap<string, string> = new Map([
  ['0', 'of anything'],
  ['', 'of the most recent'],
]);

export type RequestKind = 'list' | 'watch' | 'streaming list';

/** One of several API servers behind one address: its watch cache lags behind the storage and has a limited history. */
interface Replica {
  /** The revision of its cache. */
  revision: number;
  /** The history has no events at or before this revision. */
  compacted: number;
}

/** What the server needs of a run. */
export interface ServerContext {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly trace: Trace;
  readonly faults: { strikes(fault: ServerFault): boolean };
  readonly history: History;
  readonly subject: Pick<Subject, 'ObjectEntry' | 'ApiStatusError' | 'TransportError'>;
}

export interface ReflectorContext extends ServerContext {
  readonly faults: Faults;
  readonly subject: Subject;
}

/** An API server in memory that fails, and sends false responses, as the enabled faults decide. */
export class ApiServer implements ListerWatcher<KubernetesObject> {
  readonly #context: ServerContext;
  readonly #replicas: Replica[];
  /** Storage revisions before this one are compacted: lists at them, and their continue tokens, have expired. */
  #compacted = 0;
  readonly #waiters = new Set<() => void>();
  /** Objects that are unreadable until they are written again. */
  readonly poisoned = new Set<string>();
  /** Keys of items that a list had as unreadable items without a name: a store may not have them. */
  readonly omittedKeys = new Set<string>();
  /** Versions of bookmarks that were sent too early. */
  readonly falseBookmarks = new Set<string>();
  /** List and watch requests, without later pages. */
  readonly requests: { readonly kind: RequestKind; readonly atMs: number }[] = [];
  readonly hasWatchCache: boolean;

  constructor(context: ServerContext) {
    this.#context = context;
    this.#replicas = Array.from({ length: context.random.between(1, 3) }, () => ({
      revision: 0,
      compacted: 0,
    }));
    this.hasWatchCache = context.random.chance(0.8);
  }

  // Changes of the cluster

  write(name: string): void {
    const { history, trace } = this.#context;
    this.poisoned.delete(name);
    trace.line(`write ${name}@${history.put(name).resourceVersion}`);
    this.#replicate();
  }

  remove(name: string): void {
    const revision = this.#context.history.delete(name);
    if (revision === undefined) return;
    this.#context.trace.line(`remove ${name}@${revision.resourceVersion}`);
    this.#replicate();
  }

  poison(name: string): void {
    if (!this.#context.history.stateAt(this.#context.history.latest).has(name)) return;
    this.write(name);
    this.poisoned.add(name);
    this.#context.trace.line(`poison ${name}`);
  }

  /** One replica advances towards the storage. */
  catchUp(replica: Replica = this.#context.random.pick(this.#replicas)): void {
    const { history, random } = this.#context;
    replica.revision = random.between(replica.revision, history.latest);
    this.#wake();
  }

  catchUpAll(): void {
    for (const replica of this.#replicas) replica.revision = this.#context.history.latest;
    this.#wake();
  }

  compact(): void {
    const { history, random, trace } = this.#context;
    this.#compacted = random.between(this.#compacted, history.latest);
    trace.line(`compact to ${this.#compacted}`);
    for (const replica of this.#replicas) {
      if (random.chance(0.5))
        replica.compacted = Math.min(replica.revision, Math.max(replica.compacted, this.#compacted));
    }
  }

  /** A restarted server has no history before its own first list. */
  restartReplica(): void {
    const replica = this.#context.random.pick(this.#replicas);
    replica.revision = this.#context.history.latest;
    replica.compacted = replica.revision;
    this.#context.trace.line('restart of a replica');
    this.#wake();
  }

  // List

  async *list(options: ListOptions, signal: AbortSignal): AsyncGenerator<ListChunk<KubernetesObject>> {
    const { history, random, trace, faults } = this.#context;
    const { resourceVersion, limit, continue: token } = options;
    trace.line(`list '${resourceVersion}' limit ${limit ?? '-'} ${token ?? ''}`);
    if (token === undefined) {
      this.#countRequest('list');
      trace.count(
        `path list ${LIST_KINDS.get(resourceVersion) ?? 'at a version'}${limit === undefined ? '' : ', paged'}`,
      );
    } else trace.count('path list page');
    await this.#failOrDelay(signal);
    if (faults.strikes('list-stalls')) await this.#stall(signal);
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
      if (faults.strikes('delayed-answer')) await this.#delay(random.between(1, 2000), signal);
      if (faults.strikes('list-truncated')) return;
      if (faults.strikes('list-reset')) throw this.#transport('ECONNRESET');
    }
    yield { type: 'end', resourceVersion: version, continue: next };
  }

  async #snapshot(options: ListOptions, signal: AbortSignal) {
    const { history, random, faults } = this.#context;
    const { resourceVersion, continue: token, limit } = options;
    if (token !== undefined) {
      const [revision = '', start = ''] = token.split('/');
      if (Number(revision) < this.#compacted) throw this.#status(EXPIRED);
      return { revision: Number(revision), start, isPaged: true };
    }
    const replica = random.pick(this.#replicas);
    if (resourceVersion === '0') {
      // Without a watch cache the list is read from storage, and limits are honoured.
      const revision = this.hasWatchCache ? replica.revision : history.latest;
      return { revision, start: '', isPaged: !this.hasWatchCache };
    }
    if (resourceVersion === '') return { revision: history.latest, start: '', isPaged: true };
    const requested = history.revisionOf(resourceVersion);
    if (limit !== undefined) {
      // With a limit and without resourceVersionMatch the version is exact, for compatibility.
      if (requested < this.#compacted) throw this.#status(EXPIRED);
      return { revision: requested, start: '', isPaged: true };
    }
    if (faults.strikes('list-older-than-asked'))
      return { revision: random.between(0, requested), start: '', isPaged: false };
    await this.#untilFresh(replica, requested, signal);
    return { revision: replica.revision, start: '', isPaged: false };
  }

  #items(page: readonly Live[]): Extract<ListChunk<KubernetesObject>, { type: 'items' }> {
    const { faults } = this.#context;
    const entries: Entry[] = [];
    const rejected: Rejected[] = [];
    for (const live of page) {
      if (this.poisoned.has(live.name) || faults.strikes('list-unreadable-item')) {
        rejected.push({ reason: 'undecodable', message: 'sim', key: keyOf(live.name) });
      } else if (faults.strikes('list-unreadable-nameless-item')) {
        rejected.push({ reason: 'undecodable', message: 'sim' });
        this.omittedKeys.add(keyOf(live.name));
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
    const { trace, faults, clock, random, history } = this.#context;
    const isStreamingList = options.sendInitialEvents === true;
    trace.line(
      `${isStreamingList ? 'stream' : 'watch'} '${options.resourceVersion}' ${options.timeoutSeconds}s`,
    );
    this.#countRequest(isStreamingList ? 'streaming list' : 'watch');
    await this.#failOrDelay(signal);
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
      const requested =
        options.resourceVersion === '' ? history.latest : history.revisionOf(options.resourceVersion);
      try {
        await this.#untilFresh(replica, requested, signal);
      } catch {
        yield this.#error(TOO_LARGE);
        return;
      }
      revision = replica.revision;
      const isComplete = yield* this.#initialEvents(revision, signal);
      if (!isComplete) return;
    } else {
      revision = this.#startOf(options.resourceVersion);
      if (revision < replica.compacted) {
        trace.count('path watch expired by itself');
        yield this.#error(EXPIRED);
        return;
      }
    }
    yield* this.#liveEvents(replica, revision, endsAtMs, signal);
  }

  /** Returns false if the stream has ended. */
  async *#initialEvents(
    revision: number,
    signal: AbortSignal,
  ): AsyncGenerator<WatchChunk<KubernetesObject>, boolean> {
    const { history, random, faults } = this.#context;
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
      if (faults.strikes('delayed-events')) await this.#delay(random.between(1, 5000), signal);
      if (faults.strikes('watch-list-internal')) {
        yield this.#error(INTERNAL);
        return false;
      }
      if (faults.strikes('watch-list-closed-early')) {
        await this.#delay(random.between(0, 1500), signal);
        return false;
      }
      if (faults.strikes('stream-reset')) throw this.#transport('ECONNRESET');
    }
    if (faults.strikes('watch-list-never-ends')) {
      await this.#stall(signal);
      return false;
    }
    yield { type: 'events', events: [{ ...this.#bookmark(revision), initialEventsEnd: true }] };
    this.#context.trace.count('path streaming list ended well');
    return true;
  }

  /** Of a watch; -1 for a version before all others. */
  #startOf(resourceVersion: string): number {
    const { history } = this.#context;
    if (resourceVersion === '') return history.latest;
    const known = history.revisionOf(resourceVersion);
    if (!Number.isNaN(known)) return known;
    const beyond = Number(BigInt(resourceVersion) - BigInt(history.versionOf(0)));
    return Math.max(-1, beyond);
  }

  async *#liveEvents(
    replica: Replica,
    start: number,
    endsAtMs: number,
    signal: AbortSignal,
  ): AsyncGenerator<WatchChunk<KubernetesObject>> {
    const { clock, random, faults, history, trace } = this.#context;
    // A version that the server has not reached is accepted, and nothing is sent before it has.
    while (start > history.latest) {
      if (signal.aborted || clock.now() >= endsAtMs) return;
      await this.#until(signal, endsAtMs);
    }
    let revision = start;
    // A last one two seconds before the end, as kube-apiserver does.
    let bookmarkAtMs = Math.min(clock.now() + random.between(1000, 60_000), endsAtMs - LAST_BOOKMARK_MS);
    for (;;) {
      if (signal.aborted || clock.now() >= endsAtMs) return;
      if (faults.strikes('stream-stalls')) await this.#stall(signal);
      if (replica.revision > revision) {
        if (faults.strikes('delayed-events')) await this.#delay(random.between(1, 5000), signal);
        if (faults.strikes('bookmark-ahead')) {
          // Sent too early and then contradicted: without the contradiction no client could detect it.
          this.falseBookmarks.add(history.versionOf(replica.revision));
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
    const { history, faults, random } = this.#context;
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
    const latest = this.#context.history
      .stateAt(this.#context.history.latest)
      .get(change.name)?.resourceVersion;
    if (this.poisoned.has(change.name) && latest === change.resourceVersion) {
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
      resourceVersion: this.#context.history.versionOf(revision),
      initialEventsEnd: false,
    };
  }

  #entry({ name, uid, resourceVersion }: Live): Entry {
    const metadata = { namespace: NAMESPACE, name, uid, resourceVersion };
    return new this.#context.subject.ObjectEntry({ apiVersion: 'v1', kind: 'Pod', metadata });
  }

  // Responses and waits

  #countRequest(kind: RequestKind): void {
    this.#context.trace.count(`path request ${kind}`);
    this.requests.push({ kind, atMs: this.#context.clock.now() });
  }

  /** The faults of any request before its response. */
  async #failOrDelay(signal: AbortSignal): Promise<void> {
    const { faults, random } = this.#context;
    if (faults.strikes('delayed-answer')) await this.#delay(random.between(1, 5000), signal);
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
    const { clock, trace } = this.#context;
    const deadlineMs = clock.now() + FRESHNESS_MS;
    while (replica.revision < revision) {
      if (signal.aborted) throw this.#transport('ABORTED');
      if (clock.now() >= deadlineMs) {
        trace.count('path version too large');
        throw this.#status(TOO_LARGE);
      }
      await this.#until(signal, deadlineMs);
    }
  }

  /** A connection that stays open without data. */
  #stall(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  async #delay(ms: number, signal: AbortSignal): Promise<void> {
    const untilMs = this.#context.clock.now() + ms;
    while (this.#context.clock.now() < untilMs && !signal.aborted) await this.#until(signal, untilMs);
  }

  /** Waits until the state changes, the time is reached, or the signal aborts. */
  #until(signal: AbortSignal, atMs: number): Promise<void> {
    const { clock } = this.#context;
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

  #replicate(): void {
    for (const replica of this.#replicas) if (this.#context.random.chance(0.5)) this.catchUp(replica);
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#waiters]) wake();
  }

  #error(status: Status): WatchChunk<KubernetesObject> {
    return { type: 'events', events: [{ type: 'ERROR', status }] };
  }

  #status(status: Status, retryAfterMs?: number): Error {
    return new this.#context.subject.ApiStatusError(status, retryAfterMs);
  }

  #transport(errno: string): Error {
    return new this.#context.subject.TransportError(errno, errno);
  }
}

export function keyOf(name: string): string {
  return `${NAMESPACE}/${name}`;
}

function rejectedEvent(
  reason: Rejected['reason'],
  identity: Partial<Rejected>,
): WatchEntry<KubernetesObject> {
  return { type: 'REJECTED', rejected: { reason, message: 'sim', ...identity } };
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
