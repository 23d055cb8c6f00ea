import { compareResourceVersion } from '../../kube/compare-resource-version.js';
import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import type { Indexers } from '../../store/index-function.js';
import type { Indexer, IndexReader } from '../../store/indexer.js';
import { ObjectEntry } from '../../store/object-entry.js';
import type { Delta } from '../../store/queue/delta.js';
import type { CollectionDelta } from '../../store/queue/real-fifo.js';
import { onAbort } from '../../util/abort.js';
import { duration, object, type Rules, resolveOptions } from '../../util/check-options.js';
import { type Clock, MAX_TIMER_MS } from '../../util/clock.js';
import { KubeflectError } from '../../util/errors.js';
import type { Slice } from '../../util/slice-scheduler.js';
import type { InformerMetrics } from '../informer-metrics.js';
import { AssumedObjects } from './assumed-objects.js';
import {
  bothExpectations,
  type Expectation,
  expectationOfDeletion,
  expectationOfWrite,
  isFulfilled,
  isLater,
} from './expectation.js';
import { OverlayReader } from './overlay-reader.js';
import { Progress } from './progress.js';
import { type UnseenWrite, UnseenWrites, type WriteOutcome } from './unseen-writes.js';
import { VersionQueue } from './version-queue.js';

export interface CaughtUpOptions {
  /** Aborting it rejects with its reason. */
  readonly signal?: AbortSignal;
  /** How long to wait; then it rejects with `KUBEFLECT_NOT_CAUGHT_UP`. @default 10000 */
  readonly timeoutMs?: number;
}

const RULES: Rules<{ signal: unknown; timeoutMs: number }> = {
  signal: object('an AbortSignal'),
  timeoutMs: duration(10_000),
};

/** This many superseded expectations stay in a queue. */
const MIN_SUPERSEDED = 1000;

export interface OwnWritesOptions<T extends KubernetesObject> {
  readonly informerName: string;
  readonly indexer: Indexer<T>;
  /** Of the collection; none for all. */
  readonly namespaces: readonly string[];
  /** False for the uids of other shards. */
  readonly hasUid: (uid: string) => boolean;
  /** Of the store. */
  readonly indexers: Indexers<T>;
  /** What the store would hold of a written object; undefined if it would not be in the collection. */
  readonly cachedForm: (object: T) => T | undefined;
  /** Returns the entry to show; undefined, and reported, if a transform failed. */
  readonly prepare: (entry: Entry<T>) => Entry<T> | undefined;
  readonly clock: Clock;
  readonly metrics: InformerMetrics<T>;
}

/**
 * What the program has written to a collection, and whether the cache shows it yet: by the versions of the written
 * objects, and by the progress of the collection, as a write may take an object out of a selector, or never be in it.
 * Remembers a write only until it is seen.
 */
export class OwnWrites<T extends KubernetesObject> {
  /** The store, with assumed objects in place of older ones. */
  readonly reader: IndexReader<T>;
  readonly #options: OwnWritesOptions<T>;
  readonly #progress: Progress<T>;
  readonly #unseen: UnseenWrites;
  readonly #assumed: AssumedObjects<T>;
  /** Of unseen writes with comparable versions, by the namespace of their watch; `''` for a single one. */
  readonly #queues = new Map<string, VersionQueue<Expectation>>();
  #isClosed = false;

  constructor(options: OwnWritesOptions<T>) {
    this.#options = options;
    this.#progress = new Progress(options.indexer, options.namespaces);
    this.#unseen = new UnseenWrites(options.clock, (write, outcome) => this.#onRemoved(write, outcome));
    this.#assumed = new AssumedObjects((expectation) => this.#isFulfilled(expectation));
    this.reader = new OverlayReader(options.indexer, this.#assumed);
    options.metrics.unseenWrites(
      () => this.#unseen.size,
      () => this.#assumed.size,
    );
  }

  /** See `SharedInformer.wrote`. */
  wrote(written: KubernetesObject): void {
    this.#expect(expectationOfWrite(written));
  }

  /** See `SharedInformer.wroteDelete`. */
  wroteDelete(deleted: KubernetesObject, answer?: object): void {
    this.#expect(expectationOfDeletion(deleted, answer));
  }

  /** See `SharedInformer.assume`. */
  assume(written: T): boolean {
    const expectation = expectationOfWrite(written);
    return this.#assume(expectation, expectation.deletion === undefined ? written : undefined);
  }

  /** See `SharedInformer.assumeDeleted`. */
  assumeDeleted(deleted: T, answer?: object): boolean {
    const expectation = expectationOfDeletion(deleted, answer);
    // Whether it is gone or waits for its finalizers can only be seen.
    if (expectation.deletion === 'gone') return this.#assume(expectation, undefined);
    this.#expect(expectation);
    return false;
  }

  isCaughtUp(key: string): boolean {
    return this.#unseen.get(key as Key) === undefined;
  }

  /** See `SharedInformer.caughtUp`. */
  async caughtUp(key: string, options: CaughtUpOptions): Promise<void> {
    const { timeoutMs } = resolveOptions('caughtUp', RULES, options);
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#isClosed) throw this.#error('stopped', key, timeoutMs);
    const write = this.#unseen.get(key as Key);
    if (write === undefined) return;
    const outcome = await this.#settled(write.waiters, timeoutMs, signal);
    if (outcome === 'aborted') throw signal?.reason;
    if (outcome !== 'seen') throw this.#error(outcome, key, timeoutMs);
  }

  /** An event is in the store, or was found to change nothing. */
  applied(delta: Delta<T>): void {
    this.#progress.observe(delta);
    if (this.#unseen.size === 0) return;
    const { entry } = delta;
    const write = this.#unseen.get(entry.key);
    // The event may have changed nothing, as when a transform rejects the object: then it still is the awaited one.
    if (write !== undefined) this.#check(write, versionOf(delta, write.expectation));
    this.#checkCovered(entry.namespace);
  }

  /** A bookmark or a list is in the store. */
  async appliedAll(delta: Exclude<CollectionDelta<T>, { type: 'SyncAll' }>, slice: Slice): Promise<void> {
    const type = delta.type === 'Bookmark' ? 'bookmark' : 'list';
    this.#progress.observeAll(type, delta.resourceVersion, delta.versions);
    for (const write of this.#unseen.values()) {
      if (!slice.take()) await slice.renew();
      this.#check(write);
    }
  }

  /** The informer has stopped: nothing more will be seen. */
  close(): void {
    this.#isClosed = true;
    this.#unseen.clear();
  }

  /** `written`: to be shown; undefined for an object that was deleted. */
  #assume(expectation: Expectation, written: T | undefined): boolean {
    const { cachedForm, indexers, prepare } = this.#options;
    const cached = written === undefined ? undefined : cachedForm(written);
    const entry = cached === undefined ? undefined : prepare(new ObjectEntry(cached, { indexers }));
    if (cached !== undefined && entry === undefined) return false;
    // Otherwise it cannot be decided when the watch has brought something newer.
    if (compareResourceVersion(expectation.version, expectation.version) !== 0) return false;
    const before = this.#assumed.get(expectation.key)?.expectation;
    if (!this.#expect(expectation)) return false;
    if (before !== undefined && !isLater(expectation, before)) return false;
    return this.#assumed.set({ expectation, entry });
  }

  /** False if there is nothing to wait for. */
  #expect(expectation: Expectation): boolean {
    const { namespaces, hasUid, metrics } = this.#options;
    if (this.#isClosed) return false;
    const isInNamespace = namespaces.length === 0 || namespaces.includes(expectation.namespace);
    if (!isInNamespace || !hasUid(expectation.uid)) {
      metrics.ownWrite('outside');
      return false;
    }
    const before = this.#unseen.get(expectation.key);
    const both = before === undefined ? expectation : bothExpectations(before.expectation, expectation);
    if (this.#isFulfilled(both)) {
      if (before !== undefined) this.#unseen.remove(before, 'seen');
      metrics.ownWrite('current');
      return false;
    }
    this.#unseen.set(both);
    if (compareResourceVersion(both.version, both.version) === 0) this.#enqueue(both);
    return true;
  }

  #enqueue(expectation: Expectation): void {
    const queue = this.#queueOf(expectation.namespace);
    queue.add(expectation);
    // Keys that are written repeatedly while nothing is seen.
    if (queue.length > 2 * this.#unseen.size + MIN_SUPERSEDED)
      queue.keep((queued) => this.#unseen.get(queued.key)?.expectation === queued);
  }

  #isFulfilled(expectation: Expectation, eventVersion = ''): boolean {
    const stored = this.#options.indexer.getByKey(expectation.key);
    const isCovered =
      this.#progress.covers(expectation) ||
      eventVersion === expectation.version ||
      compareResourceVersion(eventVersion, expectation.version) === 1;
    return isFulfilled(expectation, stored, isCovered);
  }

  #check(write: UnseenWrite, eventVersion = ''): void {
    if (this.#isFulfilled(write.expectation, eventVersion)) this.#unseen.remove(write, 'seen');
  }

  /** Those whose versions the watch has passed: nothing of theirs is to come. */
  #checkCovered(namespace: string): void {
    const queue = this.#queueOf(namespace);
    for (let first = queue.first; first !== undefined; first = queue.first) {
      if (!this.#progress.covers(first)) return;
      queue.take();
      const write = this.#unseen.get(first.key);
      if (write?.expectation === first) this.#check(write);
    }
  }

  #queueOf(namespace: string): VersionQueue<Expectation> {
    const id = this.#options.namespaces.length > 1 ? namespace : '';
    let queue = this.#queues.get(id);
    if (queue === undefined) {
      queue = new VersionQueue();
      this.#queues.set(id, queue);
    }
    return queue;
  }

  #onRemoved(write: UnseenWrite, outcome: WriteOutcome): void {
    const { metrics, clock } = this.#options;
    if (this.#unseen.size === 0) this.#queues.clear();
    this.#assumed.delete(write.expectation.key);
    if (outcome === 'stopped') return;
    metrics.ownWrite(outcome, outcome === 'seen' ? clock.now() - write.sinceMs : undefined);
  }

  #settled(
    waiters: UnseenWrite['waiters'],
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<WriteOutcome | 'timeout' | 'aborted'> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.schedule(() => settle('timeout'), Math.min(timeoutMs, MAX_TIMER_MS));
      const settle = (outcome: WriteOutcome | 'timeout' | 'aborted'): void => {
        waiters.delete(settle);
        timer.cancel();
        release();
        resolve(outcome);
      };
      waiters.add(settle);
      const release = signal === undefined ? () => {} : onAbort(signal, () => settle('aborted'));
    });
  }

  #error(outcome: WriteOutcome | 'timeout', key: string, timeoutMs: number): KubeflectError {
    const { informerName } = this.#options;
    if (outcome === 'stopped') {
      const message = `informer "${informerName}" was stopped, so it will not show the writes of ${key}`;
      return new KubeflectError('KUBEFLECT_INFORMER_STOPPED', message);
    }
    const why = outcome === 'timeout' ? `after ${timeoutMs} ms` : 'and they are too old to be waited for';
    const message = `the cache of "${informerName}" does not show the last writes of ${key} ${why}`;
    return new KubeflectError('KUBEFLECT_NOT_CAUGHT_UP', message);
  }
}

/** Up to which version an event of the key shows its state: all versions that cannot be compared, if its object is gone. */
function versionOf<T extends KubernetesObject>({ type, entry }: Delta<T>, expected: Expectation): string {
  const isGone = type === 'Deleted' && expected.deletion !== undefined && entry.uid === expected.uid;
  return isGone && compareResourceVersion(expected.version, expected.version) === undefined
    ? expected.version
    : entry.resourceVersion;
}
