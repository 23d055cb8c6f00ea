import type { ReflectorContext } from '../../informer/shared-informer-options.js';
import { compareResourceVersion } from '../../kube/compare-resource-version.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { WarmStart } from '../../reflector/list/warm-start.js';
import type { ListerWatcher } from '../../reflector/lister-watcher.js';
import type { FailureKind } from '../../reflector/retry/failure.js';
import type * as messages from '../../snapshot/messages.js';
import { type ExpectedIdentity, isSameServer, type ServerIdentity } from '../../snapshot/snapshot-header.js';
import { SnapshotRejection, type SnapshotRejectionReason } from '../../snapshot/snapshot-rejection.js';
import type { Entry } from '../../store/entry.js';
import type { CapturedSlab, SlabCache } from '../../store/slab/slab-cache.js';
import { type Clock, type Random, systemWallTime } from '../../util/clock.js';
import { SnapshotError } from '../../util/errors.js';
import type { SliceScheduler } from '../../util/slice-scheduler.js';
import type { ResolvedInformerOptions } from '../informer-options.js';
import { AppliedAnchors, isAnchor, versionBefore } from './applied-anchors.js';
import { type EarlierEvent, earlierEvent } from './earlier-event.js';
import { type ReadStore, readStore } from './read-store.js';
import { SnapshotAborted, type SnapshotClient, untilAborted } from './snapshot-client.js';
import type { SnapshotMetrics } from './snapshot-metrics.js';
import { identityOf, snapshotName } from './snapshot-options.js';

export interface InformerSnapshotOptions<T extends KubernetesObject> {
  readonly informerName: string;
  readonly informer: ResolvedInformerOptions<T>;
  readonly client: SnapshotClient;
  readonly cache: SlabCache<T>;
  readonly server: () => Promise<ServerIdentity>;
  /** False if another informer of the engine writes the snapshot of this name. */
  readonly claim: (name: string) => boolean;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly slices: SliceScheduler;
  readonly metrics: SnapshotMetrics;
}

/** Jitter of the interval, so that the informers of many processes do not write together. */
const JITTER = 0.2;
/** A write is followed by a pause of at least so many times its length. */
const MIN_PAUSE_RATIO = 40;

type Context<T extends KubernetesObject> = Pick<
  ReflectorContext<T>,
  'betweenBatches' | 'indexer' | 'prefill' | 'reportError' | 'setWarm'
>;

/** How often the event before a list is looked up. */
const MAX_ATTEMPTS = 5;

/** What fills the store. */
export interface SnapshotSource<T extends KubernetesObject> {
  readonly isEverythingReadable: () => boolean;
  /** For a watch of its own on the collection of one namespace; '' if one watch has all of them. */
  readonly watcherOf: (namespace: string) => Pick<ListerWatcher<T>, 'watch'>;
}

const REASONS: ReadonlyMap<FailureKind, SnapshotRejectionReason> = new Map([
  ['expired', 'expired'],
  ['too-large', 'future'],
  ['other-history', 'history'],
  ['stalled', 'unconfirmed'],
  ['cut', 'unconfirmed'],
  ['lost', 'unconfirmed'],
  ['unanswered', 'unconfirmed'],
]);

/** The snapshot of one informer: what it starts with, and what it leaves for the next process. */
export class InformerSnapshot<T extends KubernetesObject> {
  readonly #options: InformerSnapshotOptions<T>;
  readonly #anchors: AppliedAnchors<T>;
  #identity: Promise<ExpectedIdentity> | undefined;
  #read: ReadStore<T> | undefined;
  #coldScopes = new Set<string>();
  #isPrefilled = false;
  #context: Context<T> | undefined;
  #source: SnapshotSource<T> | undefined;
  /** By namespace: the list whose event before it was looked up too often already, or is not available. */
  readonly #unanchored = new Map<string, number>();
  #attempts = 0;
  readonly #closing = new AbortController();
  #writtenChanges = 0;
  #timer: { cancel(): void } | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;
  #lastFailure: string | undefined;

  constructor(options: InformerSnapshotOptions<T>) {
    this.#options = options;
    this.#anchors = new AppliedAnchors(options.informer.namespaces.length > 1);
  }

  /** `SharedInformerOptions.onApplied`. */
  readonly onApplied: (delta: Parameters<AppliedAnchors<T>['note']>[0]) => void = (delta) => {
    // Confirmed, or replaced by a list.
    if (delta === undefined && this.#read !== undefined) {
      if (this.#coldScopes.size === 0) this.#options.metrics.start('warm');
      this.#read = undefined;
    }
    if (delta === undefined) this.#isPrefilled = false;
    this.#anchors.note(delta);
  };

  /**
   * True while the store holds what the server has not confirmed. An object of another history may have the same uid and
   * version: none of these may be taken for one that the server sends.
   */
  get isStoreStale(): boolean {
    return this.#isPrefilled;
  }

  /** Reads the snapshot, if there is one that may be of use, and begins to write from time to time. Never rejects. */
  async start(context: Context<T>, source: SnapshotSource<T>, signal: AbortSignal): Promise<void> {
    this.#context = context;
    this.#source = source;
    this.#schedule(this.#options.everyMs);
    // Asked for while the snapshot is read, and before the engine can be closed. Its failure is met where it counts.
    this.#options.server().catch(() => {});
    try {
      const read = await untilAborted(this.#load(), signal);
      if (signal.aborted) return;
      this.#read = read;
      context.setWarm(true);
      const { snapshot } = this.#options.informer;
      if (typeof snapshot !== 'object' || !snapshot.readStale) return;
      const newest = Object.values(read.header.anchors)[0]?.resourceVersion ?? '';
      this.#isPrefilled = await context.prefill(read.entries, newest);
    } catch (error) {
      if (!signal.aborted) this.#rejected(asRejection(error));
    }
  }

  /** What the collection of one namespace starts with; '' if one watch has all of them. */
  warmStart(namespace: string): WarmStart<T> | undefined {
    const anchor = this.#read?.header.anchors[namespace];
    const resourceVersion = anchor && versionBefore(anchor.resourceVersion);
    if (this.#read === undefined || anchor === undefined || resourceVersion === undefined) return undefined;
    const { entries: all, byKey, byNamespace } = this.#read;
    const entries = namespace === '' ? all : (byNamespace.get(namespace) ?? []);
    return {
      entries: { [Symbol.iterator]: () => entries.values(), ...(namespace === '' && { byKey }) },
      size: entries.length,
      resourceVersion,
      isLastEvent: (event) => isAnchor(anchor, event),
    };
  }

  /** The server did not confirm the collection of one namespace. */
  coldStart(namespace: string, kind: FailureKind, error: Error): void {
    const reason = REASONS.get(kind) ?? 'failed';
    const isFirst = this.#coldScopes.size === 0;
    this.#coldScopes.add(namespace);
    this.#context?.setWarm(false);
    this.#read = undefined;
    // A version that is too old says nothing against the objects, for readers of stale ones; everything else does.
    if (reason !== 'expired' && this.#isPrefilled) void this.#context?.prefill([], '');
    if (isFirst) this.#rejected(new SnapshotRejection(reason, error.message));
  }

  /** Writes once more if anything has changed. The store must not change any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    this.#timer?.cancel();
    await this.#writing;
    await this.#write();
  }

  async #load(): Promise<ReadStore<T>> {
    const { client, cache, slices, informer, server } = this.#options;
    this.#identity ??= identityOf(informer);
    const identity = await this.#identity;
    const startedAt = this.#options.clock.now();
    const read = await readStore<T>(
      { client, cache, slice: slices.open(), isByNamespace: informer.namespaces.length > 1 },
      snapshotName(identity),
      identity,
    );
    if (!isSameServer(read.header.identity.server, await server())) {
      throw new SnapshotRejection('server', 'it is of another cluster');
    }
    this.#options.metrics.read(this.#options.clock.now() - startedAt);
    return read;
  }

  #rejected({ reason, message }: SnapshotRejection): void {
    const { informerName, metrics } = this.#options;
    metrics.start(reason);
    if (reason === 'absent') return;
    const what = `the snapshot of "${informerName}" is not used (${reason}): ${message}; the collection is listed`;
    const code = reason === 'locked' ? 'KUBEFLECT_SNAPSHOT_LOCKED' : 'KUBEFLECT_SNAPSHOT_REJECTED';
    this.#context?.reportError(new SnapshotError(code, what, reason));
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return;
    const { clock, random } = this.#options;
    this.#timer = clock.schedule(
      () => {
        this.#writing = this.#anchorAll().then(async () => {
          const tookMs = await this.#write();
          this.#schedule(Math.max(this.#options.everyMs, MIN_PAUSE_RATIO * tookMs));
        });
      },
      delayMs * (1 + JITTER * (random() - 0.5)),
    );
  }

  /** Looks up the event before the list for collections that have not changed since. Never rejects. */
  async #anchorAll(): Promise<void> {
    const { namespaces } = this.#options.informer;
    if (this.#anchors.changes === this.#writtenChanges) return;
    for (const namespace of namespaces.length > 1 ? namespaces : ['']) {
      const { lists } = this.#anchors;
      if (lists === 0 || this.#anchors.has(namespace) || this.#unanchored.get(namespace) === lists) continue;
      const event = await this.#lookUp(namespace).catch(() => undefined);
      if (this.#anchors.lists !== lists || this.#anchors.has(namespace)) continue;
      if (typeof event === 'object') this.#anchors.noteEarlier(namespace, event);
      else if (event === 'too-old' || ++this.#attempts % MAX_ATTEMPTS === 0)
        this.#unanchored.set(namespace, lists);
    }
  }

  async #lookUp(namespace: string): Promise<EarlierEvent<T>> {
    const { clock, slices } = this.#options;
    const context = this.#context;
    if (context === undefined || this.#source === undefined) return undefined;
    const resourceVersion = context.indexer.lastStoreSyncResourceVersion;
    const slice = slices.open();
    let newest: Entry<T> | undefined;
    let version = '';
    for (const entry of context.indexer.entries()) {
      if (!slice.take()) await slice.renew();
      if (namespace !== '' && entry.namespace !== namespace) continue;
      const candidate = entry.resourceVersion;
      if (newest !== undefined && compareResourceVersion(candidate, version) !== 1) continue;
      newest = entry;
      version = candidate;
    }
    if (newest === undefined) return 'too-old';
    const listerWatcher = this.#source.watcherOf(namespace);
    return earlierEvent(listerWatcher, { newest, resourceVersion }, clock, this.#closing.signal);
  }

  /** Never rejects. Returns how long it took. */
  async #write(): Promise<number> {
    const { clock, metrics } = this.#options;
    const startedAt = clock.now();
    const changes = this.#anchors.changes;
    if (changes === this.#writtenChanges || this.#source?.isEverythingReadable() !== true) return 0;
    try {
      const bytes = await this.#capture();
      if (bytes === undefined) return 0;
      this.#writtenChanges = changes;
      this.#lastFailure = undefined;
      if (!this.#isClosed) metrics.written(bytes, clock.now() - startedAt);
    } catch (error) {
      if (error instanceof SnapshotAborted) return 0;
      this.#failed(error);
    }
    return clock.now() - startedAt;
  }

  /** Returns the bytes of the file; undefined if there is nothing that a start could be based on. */
  async #capture(): Promise<number | undefined> {
    const { cache, client, informer, server, slices, claim } = this.#options;
    const context = this.#context;
    if (context === undefined) return undefined;
    this.#identity ??= identityOf(informer);
    const identity = await this.#identity;
    const name = snapshotName(identity);
    if (!claim(name)) return undefined;
    const serverIdentity = await server();
    await client.open();
    const captured = await context.betweenBatches(async (slice) => ({
      slabs: await cache.capture(slice),
      ...this.#anchors.capture(),
      objects: context.indexer.size,
    }));
    const { slabs, anchors, readers: anchorReaders, objects } = captured;
    if (Object.keys(anchors).length === 0) return undefined;
    const counted = slabs.reduce((sum, { offsets }) => sum + offsets.length, 0);
    // The informer was stopped in the middle of a list.
    if (counted !== objects) return undefined;
    const readers = new Map(
      [...slabs.map(({ reader }) => reader), ...anchorReaders].map((one) => [one.tableId, one]),
    );
    const slice = slices.open();
    const { bytes } = await client.write(
      {
        type: 'write',
        name,
        header: { identity: { ...identity, server: serverIdentity }, objects, takenAt: systemWallTime() },
        anchors,
      },
      { slabs: slabs.map(toMessage), readers },
      () => slice.renew(),
    );
    return bytes;
  }

  #failed(error: unknown): void {
    const { reason, message } = asRejection(error);
    const { informerName, metrics } = this.#options;
    if (!this.#isClosed) metrics.writeFailed();
    const text = `the snapshot of "${informerName}" could not be written: ${message}`;
    if (text === this.#lastFailure) return;
    this.#lastFailure = text;
    const code = reason === 'locked' ? 'KUBEFLECT_SNAPSHOT_LOCKED' : 'KUBEFLECT_SNAPSHOT_FAILED';
    this.#context?.reportError(new SnapshotError(code, text, reason));
  }
}

/** A batch that became a slab because no memory was left may not be shared: it is copied. */
function toMessage({ cells, reader, offsets }: CapturedSlab): messages.CapturedSlab {
  const { buffer } = cells.bytes;
  if (buffer instanceof SharedArrayBuffer) return { buffer, offsets, tableId: reader.tableId };
  const copy = new SharedArrayBuffer(buffer.byteLength);
  Buffer.from(copy).set(cells.bytes);
  return { buffer: copy, offsets, tableId: reader.tableId };
}

function asRejection(error: unknown): SnapshotRejection {
  if (error instanceof SnapshotRejection) return error;
  return new SnapshotRejection('failed', error instanceof Error ? error.name : 'unknown error');
}
