import type { WatchListMode } from '../control/server-options.js';
import { ItemFaults } from '../faults/item-faults.js';
import { isListFormAsked, type Negotiated, negotiate, PROTOBUF } from '../requests/negotiate.js';
import { includeObjectOf, type ListOptions, parseListOptions } from '../requests/query-options.js';
import { Selection } from '../requests/selection.js';
import { shardSelectionOf } from '../requests/shard-selection.js';
import { groupResourceOf } from '../resources/resource.js';
import { GZIP_HEADERS } from '../responses/body.js';
import { type EventEncoder, type EventType, JsonEventEncoder } from '../responses/event-encoder.js';
import { ProtobufEventEncoder } from '../responses/protobuf-event-encoder.js';
import { expired, StatusError } from '../status-error.js';
import type { Collection } from '../storage/collection.js';
import type { StorageEvent } from '../storage/event-log.js';
import type { StoredObject } from '../storage/stored-object.js';
import { EventBuffer } from './event-buffer.js';
import { collectionOf, type RequestContext } from './request-context.js';
import { waitForRevision, watchRevision } from './resource-version.js';

/** Events are collected into one write: fewer, larger chunks, as when kube-apiserver's queue is not empty. */
const WRITE_BYTES = 64 * 1024;
const INITIAL_WRITE_BYTES = 3 * WRITE_BYTES;
/** Initial objects scanned before yielding to the event loop. */
const SLICE_OBJECTS = 500;
/** kube-apiserver sends a last bookmark this long before it ends a watch. */
const LAST_BOOKMARK_MS = 2000;

/** Where a watch begins. */
interface Start {
  /** Events after this revision are sent. */
  readonly revision: number;
  readonly hasInitialEvents: boolean;
  readonly hasEndBookmark: boolean;
}

export async function serveWatch(context: RequestContext): Promise<void> {
  const { server, resource, info, headers } = context;
  const options = parseWatchOptions(info.query, server.options.watchList);
  const negotiated = negotiate(headers, { resource, scope: 'watch' });
  const shards = shardSelectionOf(server, options);
  const selection = new Selection(resource, info.namespace, options, { name: info.name, shards });
  const asked = options.resourceVersion === '' ? 0 : watchRevision(options.resourceVersion);
  context.writer.begin(200, {
    ...context.body.headers,
    ...(isCompressed(context, options) ? GZIP_HEADERS : {}),
    'Content-Type': negotiated.encoding === 'json' ? 'application/json' : `${PROTOBUF};stream=watch`,
  });
  // A watch that asks for PartialObjectMetadataList ends at its first event on a real server, since no event is
  // a list.
  if (isListFormAsked(headers)) {
    context.writer.end();
    return;
  }
  const watch = new Watch(context, collectionOf(server, resource), selection, negotiated, options);
  try {
    await watch.run(await startOf(context, options, asked));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // The stream is open: an error can only be an event now.
    watch.fail(error);
  }
}

/** Of watches, only streaming lists are compressed, whatever their size. */
function isCompressed({ body }: RequestContext, options: ListOptions): boolean {
  return body.acceptsGzip && options.sendInitialEvents === true && options.allowWatchBookmarks;
}

function encoderOf({ resource, info, server }: RequestContext, { form, encoding }: Negotiated): EventEncoder {
  if (encoding === 'protobuf' && form !== 'table') return new ProtobufEventEncoder(resource, form);
  return new JsonEventEncoder(resource, form, includeObjectOf(info.query), () => server.environment.now());
}

/**
 * A server without streaming lists ignores sendInitialEvents, but rejects the resourceVersionMatch that goes with
 * it.
 */
function parseWatchOptions(query: URLSearchParams, mode: WatchListMode): ListOptions {
  const known = new URLSearchParams(query);
  if (mode === 'off') known.delete('sendInitialEvents');
  const watchList = mode === 'on' || mode === 'silent' ? 'on' : 'off';
  return parseListOptions(known, { isWatch: true, watchList });
}

/** The table of resourceVersion × sendInitialEvents. */
async function startOf(context: RequestContext, options: ListOptions, asked: number): Promise<Start> {
  const { server, resource, writer } = context;
  const mode = server.options.watchList;
  const isStreaming = mode === 'on' || mode === 'silent';
  const { log } = collectionOf(server, resource);
  if (writer.faults.get('expireHistory') !== undefined) throw tooOld(asked, server.storage.revision);

  const wantsInitial = options.sendInitialEvents ?? asked === 0;
  if (wantsInitial) {
    if (asked > 0) await waitForRevision(server, asked);
    // A watch without a version requests initial events too, so with the feature gate on it gets the end
    // bookmark as well.
    const hasEndBookmark = isStreaming && mode !== 'silent' && options.allowWatchBookmarks;
    return { revision: server.storage.revision, hasInitialEvents: true, hasEndBookmark };
  }
  if (asked === 0) {
    return { revision: server.storage.revision, hasInitialEvents: false, hasEndBookmark: false };
  }
  if (asked < log.compacted) throw tooOld(asked, log.compacted);
  return { revision: asked, hasInitialEvents: false, hasEndBookmark: false };
}

function tooOld(asked: number, oldest: number): StatusError {
  return expired(`too old resource version: ${asked} (${oldest})`);
}

/** One open watch: a cursor into the event log that advances as fast as its socket accepts events. */
class Watch {
  readonly #context: RequestContext;
  readonly #collection: Collection;
  readonly #selection: Selection;
  readonly #encoder: EventEncoder;
  readonly #buffer: EventBuffer;
  readonly #isProtobuf: boolean;
  readonly #options: ListOptions;
  readonly #faults: ItemFaults;
  readonly #timers: NodeJS.Timeout[] = [];
  #position = 0;
  /** The end of the log when the watch was requested. */
  #openedAt = 0;
  #startRevision = 0;
  /** The initial events are sent and the cursor is valid. */
  #isLive = false;
  #isPumping = false;
  #isClosing = false;
  #slowSinceMs: number | undefined;
  /** The socket was full when last checked; `drained` is pending. */
  #isWaiting = false;
  #lastLine: Buffer | undefined;

  constructor(
    context: RequestContext,
    collection: Collection,
    selection: Selection,
    negotiated: Negotiated,
    options: ListOptions,
  ) {
    this.#context = context;
    this.#collection = collection;
    this.#selection = selection;
    this.#encoder = encoderOf(context, negotiated);
    this.#buffer = new EventBuffer(context.writer, this.#encoder, isCompressed(context, options));
    this.#isProtobuf = negotiated.encoding === 'protobuf';
    this.#options = options;
    this.#faults = new ItemFaults(context.writer.faults);
  }

  /** Resolves when the response has ended. */
  async run(start: Start): Promise<void> {
    const { writer, server, resource } = this.#context;
    const over = new Promise<void>((resolve) => writer.onOver(resolve));
    server.counters.openWatches++;
    this.#openedAt = this.#collection.log.end;
    this.#startRevision = start.revision;
    this.#startTimers();
    if (this.#isFaultDue()) this.#failByFault();
    if (start.hasInitialEvents) await this.#sendInitialEvents(start);
    // Nothing is awaited between reading the position and listening, so no event is missed.
    this.#position = this.#collection.log.positionAfter(start.revision);
    const listening = server.storage.listen(groupResourceOf(resource), {
      onWrite: () => this.#schedule(),
      onClose: () => {
        this.#pump();
        this.#close();
      },
    });
    this.#isLive = true;
    this.#schedule();
    writer.faults.end();
    await over;
    listening.stop();
    for (const timer of this.#timers) clearTimeout(timer);
    server.counters.openWatches--;
  }

  /** One ERROR event, then the end. */
  fail(error: StatusError): void {
    this.#emit(this.#encoder.error(error.body));
    this.#close();
  }

  async #sendInitialEvents(start: Start): Promise<void> {
    const { writer } = this.#context;
    const snapshot = this.#collection.snapshot(start.revision);
    try {
      let from: string | undefined = this.#selection.range.start;
      while (from !== undefined && !this.#isClosing && !writer.isOver) {
        from = this.#sendSlice(snapshot.scan(from, this.#selection.range.end));
        this.#buffer.flush();
        await writer.drained();
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      snapshot.close();
    }
    if (start.hasEndBookmark && !this.#isClosing) this.#sendBookmark(start.revision, true);
    this.#buffer.flush();
  }

  /** Returns the key to continue from. */
  #sendSlice(objects: Iterable<StoredObject>): string | undefined {
    let looked = 0;
    for (const object of objects) {
      const isFull = this.#buffer.length >= INITIAL_WRITE_BYTES || !this.#context.writer.isReady;
      if (looked++ === SLICE_OBJECTS || isFull) return object.key;
      if (this.#selection.matchesContent(object)) this.#sendObject('ADDED', object);
      if (this.#isClosing) return undefined;
    }
    return undefined;
  }

  #schedule(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    setImmediate(() => {
      this.#isPumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    const { writer } = this.#context;
    const { log } = this.#collection;
    while (!this.#isClosing && !writer.isOver && this.#position < log.end) {
      if (!writer.isReady) {
        this.#fallBehind();
        return;
      }
      if (log.isDropped(this.#position)) {
        this.#close();
        return;
      }
      const event = log.at(this.#position++);
      if (event !== undefined && event.revision > this.#startRevision) this.#sendEvent(event);
      if (this.#buffer.length >= WRITE_BYTES) this.#buffer.flush();
    }
    this.#slowSinceMs = undefined;
    this.#buffer.releaseIdle();
  }

  /** The socket is full: waits for it, but terminates a watch that stays too far behind. */
  #fallBehind(): void {
    const { writer, server } = this.#context;
    this.#buffer.flush();
    const { watchBufferEvents, slowWatchGraceMs } = server.options;
    // A watch may start far back in history: only events after it was opened count.
    const behind = this.#collection.log.end - Math.max(this.#position, this.#openedAt);
    if (behind > watchBufferEvents) {
      if (this.#slowSinceMs === undefined) {
        this.#slowSinceMs = server.environment.elapsedMs();
        // Once, not with every write in the meantime. One millisecond more, since timers may fire a little
        // early.
        this.#timers.push(setTimeout(() => this.#schedule(), slowWatchGraceMs + 1));
      }
      if (server.environment.elapsedMs() - this.#slowSinceMs >= slowWatchGraceMs) {
        server.counters.slowWatchesCut++;
        this.#close();
        return;
      }
    }
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void writer.drained().then(() => {
      this.#isWaiting = false;
      this.#schedule();
    });
  }

  /** The type is relative to the selection: leaving it is a deletion, entering it an addition. */
  #sendEvent(event: StorageEvent): void {
    const isIn = event.object !== undefined && this.#selection.matches(event.object);
    const wasIn = event.previous !== undefined && this.#selection.matches(event.previous);
    if (isIn && event.object !== undefined) this.#sendObject(wasIn ? 'MODIFIED' : 'ADDED', event.object);
    else if (wasIn && event.previous !== undefined) {
      this.#sendObject('DELETED', event.previous.withRevision(event.revision));
    }
  }

  #sendObject(type: EventType, object: StoredObject): void {
    const { faults } = this.#context.writer;
    if (faults.faults.length === 0) {
      if (this.#isClosing) return;
      this.#buffer.appendObject(type, object);
      this.#count();
      return;
    }
    const line = this.#encoder.object(type, object);
    this.#emit(line);
    if (faults.get('duplicateEvents') !== undefined) this.#emit(line);
    if (faults.get('staleEvents') !== undefined && this.#lastLine !== undefined) this.#emit(this.#lastLine);
    this.#lastLine = line;
  }

  #sendBookmark(revision: number, isInitialEventsEnd: boolean): void {
    const drop = this.#context.writer.faults.get('dropBookmarks');
    if (drop !== undefined && (drop.which !== 'initial-events-end' || isInitialEventsEnd)) return;
    this.#emit(this.#encoder.bookmark(revision, isInitialEventsEnd));
  }

  #emit(line: Buffer): void {
    if (this.#isClosing || this.#context.writer.faults.get('closeAfterMs')?.isSilent === true) return;
    this.#buffer.append(this.#faults.isActive ? this.#corrupt(line) : line);
    this.#count();
    if (this.#faults.isTruncated) this.#close();
    else if (this.#isFaultDue()) this.#failByFault();
  }

  #count(): void {
    const { writer, server } = this.#context;
    writer.record.events++;
    server.counters.eventsWritten++;
  }

  #corrupt(line: Buffer): Buffer {
    return this.#isProtobuf ? this.#faults.passFrame(line) : this.#faults.pass(line);
  }

  #close(): void {
    if (this.#isClosing) return;
    this.#buffer.flush();
    this.#isClosing = true;
    this.#context.writer.end();
  }

  #isFaultDue(): boolean {
    const { record, faults } = this.#context.writer;
    const error = faults.get('errorEvent');
    const close = faults.get('closeAfterEvents');
    return (
      (error !== undefined && record.events === (error.afterEvents ?? 0)) ||
      (close !== undefined && record.events >= close.events)
    );
  }

  #failByFault(): void {
    const error = this.#context.writer.faults.get('errorEvent');
    if (error === undefined) this.#close();
    else this.fail(new StatusError(error.code, error.reason, error.message ?? 'an injected fault'));
  }

  #startTimers(): void {
    const { options, environment, storage } = this.#context.server;
    const fallbackMs = options.minWatchTimeoutMs * (1 + environment.random());
    const timeoutMs =
      (this.#options.timeoutSeconds ?? 0) > 0 ? (this.#options.timeoutSeconds ?? 0) * 1000 : fallbackMs;
    const longestMs = 2 ** 31 - 1;
    const closeMs = this.#context.writer.faults.get('closeAfterMs')?.ms ?? timeoutMs;
    this.#timers.push(setTimeout(() => this.#close(), Math.min(closeMs, timeoutMs, longestMs)));
    if (!this.#options.allowWatchBookmarks || !this.#context.resource.hasWatchCache) return;
    const bookmark = (): void => {
      const isCaughtUp = this.#isLive && this.#position === this.#collection.log.end;
      if (!isCaughtUp || storage.revision <= this.#startRevision) return;
      this.#sendBookmark(storage.revision, false);
      this.#buffer.releaseIdle();
    };
    this.#timers.push(setInterval(bookmark, options.bookmarkIntervalMs));
    if (timeoutMs > LAST_BOOKMARK_MS) this.#timers.push(setTimeout(bookmark, timeoutMs - LAST_BOOKMARK_MS));
  }
}
