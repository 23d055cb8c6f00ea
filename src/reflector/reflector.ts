import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import { sleep } from '../util/clock.js';
import { KubeflectError } from '../util/errors.js';
import { checkConsistency } from './list/consistency-detector.js';
import { ListPager, type PagedList } from './list/pager.js';
import { TemporaryStore } from './list/temporary-store.js';
import { WarmStartSink } from './list/warm-start.js';
import type { ListOptions, WatchOptions } from './lister-watcher.js';
import { initialState, step } from './machine/reflector-machine.js';
import type { Activity, Input, ReflectorState } from './machine/reflector-state.js';
import {
  machineConfig,
  type ReflectorOptions,
  type ResolvedReflectorOptions,
  resolveReflectorOptions,
  uniqueReflectorId,
} from './reflector-options.js';
import { ListTrace, type ReflectorReport } from './reflector-report.js';
import { type Failure, failureOf } from './retry/failure.js';
import { InitialEventsEndTicker } from './watch/bookmark.js';
import { EventToDelta } from './watch/event-to-delta.js';
import { type Position, positionOfList, ResourceVersionCursor } from './watch/resource-version-cursor.js';
import { ResyncTimer } from './watch/resync-timer.js';
import { WatchStream } from './watch/watch-stream.js';

/** Delays that are not a backoff get up to this share of jitter, so that many reflectors do not reconnect at once. */
const WAIT_JITTER = 0.5;

/** A server that has the version of a warm start sends the event after it at once. */
const CONFIRMATION_MS = 15_000;

type ActivityOf<K extends Activity['type']> = Extract<Activity, { type: K }>;

/**
 * Watches one collection and causes its changes to be reflected in a store: client-go's Reflector.
 *
 * The rules are in `machine/reflector-machine.ts`, with a diagram. This class performs the machine's effects and feeds
 * the results back. It ends only when its signal aborts; after an error it reports, backs off and continues.
 *
 * A bare reflector promises: the store receives the complete collection once, and after that every change in order,
 * without going back in time; it does not promise to show every version of an object (a relist may skip some).
 */
export class Reflector<T extends KubernetesObject> {
  readonly name: string;
  /** Unique in this process. */
  readonly id: string;
  readonly typeDescription: string;
  readonly #options: ResolvedReflectorOptions<T>;
  readonly #resync: ResyncTimer;
  #state: ReflectorState;
  #stream: WatchStream<T> | undefined;
  /** The result of a list or a streaming list, until `replace` hands it to the store. */
  #listed: Pick<PagedList<T>, 'entries' | 'size' | 'unreadableKeys'> | undefined;
  /** Keys for which the store may hold an old version, because the present one is unreadable. */
  #unreadableKeys = new Set<string>();
  /** Of the open stream, while it is a watch. */
  #cursor: ResourceVersionCursor | undefined;
  #temporaryStore: TemporaryStore<T> | undefined;
  /** While a warm start is not confirmed. */
  #warmStart: WarmStartSink<T> | undefined;
  #ticker: InitialEventsEndTicker | undefined;
  #trace: ListTrace | undefined;
  /** From the timer, while no stream was open; ends the next one. */
  #resyncError: Error | undefined;
  /** Of the last stream: after which the server was asked to close it. */
  #timeoutMs = 0;
  #isRunning = false;

  constructor(options: ReflectorOptions<T>) {
    this.#options = resolveReflectorOptions(options);
    this.name = this.#options.name;
    this.id = uniqueReflectorId(this.name);
    this.typeDescription = this.#options.typeDescription;
    this.#state = initialState(machineConfig(this.#options), options.warmStart?.resourceVersion);
    this.#resync = new ResyncTimer(this.#options.clock, this.#options.resyncPeriodMs, () => this.#expire());
  }

  /** The newest version that the store has received; `''` before the first list. */
  get lastSyncResourceVersion(): string {
    return this.#state.position.synced;
  }

  /** The server rejected the last version as expired or too large, and no list has succeeded since. */
  get isLastSyncResourceVersionUnavailable(): boolean {
    return this.#state.isLastSyncResourceVersionUnavailable;
  }

  /** The server has paged a list that its watch cache should have answered in one piece. */
  get paginatedResult(): boolean {
    return this.#state.paginatedResult;
  }

  /** The store has every object of the collection in a form that could be read. */
  get isEverythingReadable(): boolean {
    const { unreadableRetry, isListUnreadable } = this.#state;
    return this.#unreadableKeys.size === 0 && unreadableRetry.lists === 0 && !isListUnreadable;
  }

  get phase(): ReflectorState['phase'] {
    return this.#state.phase;
  }

  /** Lists and watches repeatedly until the signal aborts. Never rejects for what a server did. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#exclusively(async () => {
      let begin: 'start' | 'backoff' = 'start';
      while (!signal.aborted) {
        const error = await this.#round(begin, signal);
        if (error !== undefined) this.#handle(error);
        begin = 'backoff';
      }
    });
  }

  /**
   * One round: lists, then watches for as long as that goes well. Rejects if the list failed or the watch could not be
   * opened; resolves when the signal aborts or the stream ended in a way that needs a new list.
   */
  async listAndWatch(signal: AbortSignal): Promise<void> {
    const error = await this.#exclusively(() => this.#round('start', signal));
    if (error !== undefined) throw error;
  }

  async #exclusively<R>(work: () => Promise<R>): Promise<R> {
    if (this.#isRunning) {
      const message = `reflector ${this.name} is already running; create another one, or abort this one first`;
      throw new KubeflectError('KUBEFLECT_REFLECTOR_RUNNING', message);
    }
    this.#isRunning = true;
    try {
      return await work();
    } finally {
      this.#closeStream();
      this.#resync.pause();
      this.#isRunning = false;
    }
  }

  async #round(begin: 'start' | 'backoff', signal: AbortSignal): Promise<Error | undefined> {
    let input: Input = { type: begin, nowMs: this.#now() };
    for (;;) {
      if (signal.aborted) input = { type: 'stop', nowMs: this.#now() };
      const activity = this.#step(input);
      if (activity.type === 'end-round') return activity.error;
      input = await this.#perform(activity, signal);
    }
  }

  /** Takes the step and performs its immediate effects; returns the one that takes time. */
  #step(input: Input): Activity {
    const { state, effects } = step(this.#state, input);
    this.#state = state;
    if (state.phase === 'watching') this.#resync.resume();
    else this.#resync.pause();
    for (const effect of effects) {
      switch (effect.type) {
        case 'report':
          this.#report(effect.report);
          break;
        case 'close-stream':
          this.#closeStream();
          break;
        case 'short-watch':
          this.#options.metrics?.numberOfShortWatches.inc();
          break;
        case 'end-round':
          this.#listed = undefined;
          this.#finishTrace();
          return effect;
        default:
          return effect;
      }
    }
    throw new Error(`no activity after '${input.type}': this is a bug in the reflector's machine`);
  }

  #perform(activity: Exclude<Activity, { type: 'end-round' }>, signal: AbortSignal): Promise<Input> {
    switch (activity.type) {
      case 'list':
        return this.#list(activity, signal);
      case 'replace':
        return this.#replace(activity, signal);
      case 'watch':
        this.#open(activity, signal);
        return this.#read();
      case 'read':
        return this.#readWhenDrained(signal);
      case 'wait':
        return this.#wait(activity, signal);
    }
  }

  async #wait({ backoff, isFirst, minDelayMs }: ActivityOf<'wait'>, signal: AbortSignal): Promise<Input> {
    const { clock, random } = this.#options;
    if (backoff !== undefined && isFirst === true) this.#options[backoff].reset?.();
    const backoffMs = backoff === undefined ? 0 : this.#options[backoff].backoff();
    await sleep(clock, Math.max(backoffMs, minDelayMs * (1 + WAIT_JITTER * random())), signal);
    return { type: 'waited', nowMs: this.#now() };
  }

  // List

  async #list({ resourceVersion, pageSize }: ActivityOf<'list'>, signal: AbortSignal): Promise<Input> {
    const { clock, metrics } = this.#options;
    this.#trace ??= new ListTrace(clock);
    metrics?.numberOfLists.inc();
    const startedAtMs = this.#now();
    try {
      const list = await this.#readPages({ resourceVersion }, pageSize, signal);
      metrics?.listDuration.observe((this.#now() - startedAtMs) / 1000);
      metrics?.numberOfItemsInList.observe(list.size);
      this.#trace.step('Objects listed');
      this.#listed = list;
      return { type: 'listed', nowMs: this.#now(), ...list };
    } catch (error) {
      this.#trace.step('Objects listed');
      return { type: 'list-failed', nowMs: this.#now(), failure: failureOf(error) };
    }
  }

  #readPages(options: ListOptions, pageSize: number, signal: AbortSignal): Promise<PagedList<T>> {
    const { listerWatcher, expected, clock, listIdleTimeoutMs } = this.#options;
    return new ListPager<T>({
      listPage: (page, own) => listerWatcher.list(page, own, expected),
      pageSize,
      listIdleTimeoutMs,
      clock,
      report: this.#report,
      signal,
    }).list(options);
  }

  async #replace({ resourceVersion }: ActivityOf<'replace'>, signal: AbortSignal): Promise<Input> {
    const listed = this.#listed;
    if (listed === undefined)
      throw new Error('no list to replace the store with: this is a bug in the reflector');
    try {
      if (this.#temporaryStore !== undefined && this.#options.consistencyDetector) {
        await this.#checkConsistency(listed.entries, resourceVersion, signal);
        if (signal.aborted) return { type: 'stop', nowMs: this.#now() };
      }
      this.#options.store.replace(listed.entries, resourceVersion, listed.unreadableKeys);
    } catch (error) {
      return { type: 'replace-failed', nowMs: this.#now(), failure: storeFailure(error) };
    } finally {
      this.#listed = undefined;
      this.#trace?.step('SyncWith done');
      this.#finishTrace();
    }
    // A copy: the store owns the other set now.
    this.#unreadableKeys = new Set(listed.unreadableKeys);
    this.#resync.reset();
    this.#observeResourceVersion(resourceVersion);
    this.#continueAsWatch(resourceVersion);
    return { type: 'replaced', nowMs: this.#now() };
  }

  async #checkConsistency(streamed: Iterable<Entry<T>>, version: string, signal: AbortSignal): Promise<void> {
    const listExact = async (resourceVersion: string): Promise<Iterable<Entry<T>>> =>
      (await this.#readPages({ resourceVersion, resourceVersionMatch: 'Exact' }, 0, signal)).entries;
    await checkConsistency(streamed, version, listExact, this.#options.clock, signal);
  }

  #finishTrace(): void {
    this.#trace?.reportIfLong(this.#report);
    this.#trace = undefined;
  }

  // Watch

  #open({ resourceVersion, isStreamingList, isWarmStart }: ActivityOf<'watch'>, signal: AbortSignal): void {
    this.#closeStream();
    const { clock, expected, listerWatcher, metrics, watchListIdleTimeoutMs } = this.#options;
    metrics?.numberOfWatches.inc();
    const shared = { listerWatcher, expected, clock, metrics, signal };
    const timeoutSeconds = this.#timeoutSeconds();
    this.#timeoutMs = timeoutSeconds * 1000;
    const request: WatchOptions = { resourceVersion, allowWatchBookmarks: true, timeoutSeconds };
    const { warmStart } = this.#options;
    if (isWarmStart && warmStart !== undefined) {
      this.#warmStart = new WarmStartSink(warmStart, this.#report);
      const sink = this.#warmStart;
      const onProgress = this.#onProgress;
      this.#stream = new WatchStream({
        ...shared,
        request,
        sink,
        onProgress,
        idleTimeoutMs: CONFIRMATION_MS,
      });
      return;
    }
    if (!isStreamingList) {
      const sink = this.#eventToDelta(resourceVersion);
      this.#stream = new WatchStream({ ...shared, request, sink, onProgress: this.#onProgress });
      if (this.#resyncError !== undefined) this.#stream.interrupt(this.#resyncError);
      this.#resyncError = undefined;
      return;
    }
    this.#temporaryStore = new TemporaryStore(this.#report);
    this.#ticker = new InitialEventsEndTicker(clock, this.#report);
    this.#stream = new WatchStream({
      ...shared,
      request: { ...request, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' },
      sink: this.#temporaryStore,
      onProgress: this.#onProgress,
      idleTimeoutMs: watchListIdleTimeoutMs,
    });
  }

  /** The first read does not wait: the request must be sent while the server still has the version. */
  #readWhenDrained(signal: AbortSignal): Promise<Input> {
    const { store } = this.#options;
    if (this.#temporaryStore !== undefined || this.#warmStart !== undefined || store.isBehind !== true)
      return this.#read();
    return Promise.resolve(store.drained?.(signal)).then(() => this.#read());
  }

  async #read(): Promise<Input> {
    const outcome = (await this.#stream?.read()) ?? { type: 'aborted' };
    const nowMs = this.#now();
    switch (outcome.type) {
      case 'progress': {
        if (outcome.events > 0) this.#ticker?.observeEvent();
        const position = this.#cursor?.position;
        if (position === undefined) {
          return { ...outcome, nowMs, hasInitialEvents: this.#temporaryStore?.takeInitialEvents() ?? false };
        }
        if (outcome.events > 0) this.#observeResourceVersion(position.synced);
        return { type: 'progress', nowMs, events: outcome.events, position };
      }
      case 'initial-events-end': {
        const { warmStart } = this.#options;
        if (this.#warmStart !== undefined && warmStart !== undefined) {
          const { entries, size, resourceVersion } = warmStart;
          this.#listed = { entries, size, unreadableKeys: new Set() };
          return { ...outcome, nowMs, resourceVersion, unreadable: 0 };
        }
        const { entries, size, unreadableKeys, resourceVersion } = this.#temporaryStore ?? EMPTY;
        this.#listed = { entries, size, unreadableKeys };
        return { ...outcome, nowMs, resourceVersion, unreadable: unreadableKeys.size };
      }
      case 'closed':
        return { ...outcome, nowMs, timeoutMs: this.#timeoutMs };
      case 'aborted':
        return { type: 'stop', nowMs };
      default:
        return { ...outcome, nowMs };
    }
  }

  /** Progress of an open watch takes the machine back to where it is: reading. So the pending read simply goes on. */
  readonly #onProgress = (events: number): boolean => {
    const { store } = this.#options;
    const position = this.#cursor?.position;
    if (position === undefined || this.#state.phase !== 'watching' || store.isBehind === true) return false;
    if (events > 0) this.#observeResourceVersion(position.synced);
    const activity = this.#step({ type: 'progress', nowMs: this.#now(), events, position });
    if (activity.type !== 'read')
      throw new Error(`'${activity.type}' after progress: this is a bug in the reflector's machine`);
    return true;
  };

  /** After a streaming list, the same stream continues as a watch, into the store. */
  #continueAsWatch(resourceVersion: string): void {
    const confirmation = this.#warmStart?.confirmation;
    if (confirmation !== undefined) {
      this.#warmStart = undefined;
      const sink = this.#eventToDelta(resourceVersion, positionOfList(resourceVersion));
      this.#stream?.continueInto(sink);
      // Its state is stored already; the store learns its version.
      sink.consume(confirmation);
      return;
    }
    if (this.#temporaryStore === undefined) return;
    this.#temporaryStore = undefined;
    this.#ticker?.stop();
    this.#ticker = undefined;
    this.#stream?.continueInto(this.#eventToDelta(resourceVersion, positionOfList(resourceVersion)));
  }

  #eventToDelta(startResourceVersion: string, position: Position = this.#state.position): EventToDelta<T> {
    this.#cursor = new ResourceVersionCursor(position, startResourceVersion);
    return new EventToDelta(this.#options.store, this.#cursor, this.#unreadableKeys, this.#report);
  }

  #closeStream(): void {
    this.#stream?.close();
    this.#stream = undefined;
    this.#cursor = undefined;
    this.#temporaryStore = undefined;
    this.#warmStart = undefined;
    this.#ticker?.stop();
    this.#ticker = undefined;
  }

  /** Random, so that the watches of many clients do not end together. */
  #timeoutSeconds(): number {
    return Math.floor((this.#options.minWatchTimeoutMs * (1 + this.#options.random())) / 1000);
  }

  // Resync, errors, reports

  #expire(): boolean {
    const { shouldResync, store } = this.#options;
    try {
      if (shouldResync()) store.resync();
      return true;
    } catch (cause) {
      const error = new KubeflectError('KUBEFLECT_STORE_FAILED', 'the resync failed', { cause });
      if (this.#stream === undefined) this.#resyncError = error;
      else this.#stream.interrupt(error);
      return false;
    }
  }

  #handle(error: Error): void {
    const { watchErrorHandler } = this.#options;
    if (watchErrorHandler === undefined) {
      const level = failureOf(error).kind === 'expired' ? 'debug' : 'error';
      this.#report({ type: 'error', level, error });
      return;
    }
    try {
      watchErrorHandler(this, error);
    } catch (thrown) {
      this.#report({ type: 'error', level: 'error', error: failureOf(thrown).error });
    }
  }

  readonly #report = (report: ReflectorReport): void => {
    try {
      this.#options.report(report);
    } catch {
      // A report callback that throws must not end the reflector.
    }
  };

  #observeResourceVersion(resourceVersion: string): void {
    const value = Number(resourceVersion);
    if (Number.isFinite(value)) this.#options.metrics?.lastResourceVersion.set(value);
  }

  #now(): number {
    return this.#options.clock.now();
  }
}

const EMPTY = { entries: [], size: 0, unreadableKeys: new Set<string>(), resourceVersion: '' };

function storeFailure(cause: unknown): Failure {
  const message = 'unable to sync the list result';
  return { kind: 'store', error: new KubeflectError('KUBEFLECT_STORE_FAILED', message, { cause }) };
}
