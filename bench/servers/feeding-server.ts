/**
 * The minimum of an API server for an informer of pods: pages, and watches that are fed from templates at a steady
 * rate, or as fast as they are read. The embedded server spends 40 µs on an event of 8 KB, and would be what is
 * measured. Driven by runner/driven-process.ts.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { PopulateSpec } from 'kubeflect/testing';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { sharedClockMs } from '../contenders/recording.js';
import { serveCalls } from '../contenders/serve-calls.js';
import type { Digest } from '../contenders/task.js';
import type { WriteOrder, Written } from './feed.js';
import { encodingOf, type FeedingEncoding, type PodState } from './feeding-encodings.js';

/** The longest time that a slice of sending keeps the server from writing. */
const SLICE_MS = 5;
const CHUNK_BYTES = 128 * 1024;
/** Queued for a reader in this process. More would only delay the events after it. */
const MAX_QUEUED_BYTES = 512 * 1024;
/** For a write without a rate: how many events are recorded at most. */
const MAX_PER_SECOND = 250_000;

/** Pods of a set, with the revision and the number of changes of each. */
class PodFeed {
  readonly set: RenderedSet;
  revision: number;
  readonly #revisions: Float64Array;
  readonly #mutations: Uint32Array;

  constructor(spec: PopulateSpec) {
    this.set = new RenderedSet(resolvePopulateSpec(spec), 1);
    this.revision = this.set.count;
    this.#revisions = Float64Array.from({ length: this.set.count }, (_, i) => i + 1);
    this.#mutations = new Uint32Array(this.set.count);
  }

  page(encoding: FeedingEncoding, limit: number, from: number): Buffer {
    const to = Math.min(this.set.count, from + limit);
    const pods = Array.from({ length: to - from }, (_, i) => this.#stateOf(from + i));
    return encoding.page(this.set, pods, {
      resourceVersion: String(this.revision),
      ...(to < this.set.count && { continue: String(to), remainingItemCount: this.set.count - to }),
    });
  }

  change(index: number): PodState {
    this.revision++;
    this.#revisions[index] = this.revision;
    this.#mutations[index] = (this.#mutations[index] ?? 0) + 1;
    return this.#stateOf(index);
  }

  /** Like that of the embedded server: keys ascend with the index. */
  digest(): Digest {
    const hash = createHash('sha256');
    for (let i = 0; i < this.set.count; i++)
      hash.update(`${this.set.keyAt(i)} ${this.set.uidAt(i)} ${this.#revisions[i]}\n`);
    return { count: this.set.count, digest: hash.digest('hex') };
  }

  #stateOf(index: number): PodState {
    return { index, revision: this.#revisions[index] ?? 0, mutation: this.#mutations[index] ?? 0 };
  }
}

let feed: PodFeed | undefined;
/** The encoding of the watches: one informer is connected at a time. */
let watchEncoding: FeedingEncoding | undefined;
const watches = new Set<ServerResponse>();
const watchWaiters: (() => void)[] = [];

const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://bench');
  if (pathname !== '/api/v1/pods' || query.has('sendInitialEvents')) {
    sendStatus(response, 422, 'Invalid');
  } else if (query.get('watch') === 'true') {
    watch(request, response, Number(query.get('resourceVersion')));
  } else {
    const encoding = encodingOf(request);
    const limit = Number(query.get('limit') ?? Number.POSITIVE_INFINITY);
    send(
      response,
      200,
      encoding.listType,
      started().page(encoding, limit, Number(query.get('continue') ?? 0)),
    );
  }
});

function started(): PodFeed {
  if (feed === undefined) throw new Error('called before start');
  return feed;
}

function send(response: ServerResponse, code: number, type: string, body: Buffer): void {
  response.writeHead(code, { 'content-type': type, 'content-length': body.length });
  response.end(body);
}

function sendStatus(response: ServerResponse, code: number, reason: string): void {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code };
  send(response, code, 'application/json', Buffer.from(JSON.stringify(status)));
}

/** Nothing is written between list and watch of a reader that keeps up; one that was cut off has to list again. */
function watch(request: IncomingMessage, response: ServerResponse, from: number): void {
  const { revision } = started();
  if (from !== revision) {
    sendStatus(response, 410, 'Expired');
    return;
  }
  watchEncoding = encodingOf(request);
  response.writeHead(200, { 'content-type': watchEncoding.watchType });
  response.flushHeaders();
  response.on('close', () => watches.delete(response));
  watches.add(response);
  for (const resolve of watchWaiters.splice(0)) resolve();
}

function isBehind(): boolean {
  return [...watches].some(({ writableLength }) => writableLength > MAX_QUEUED_BYTES);
}

/** Resolves when a reader that is behind has taken what was queued for it, or has left. */
async function drained(): Promise<void> {
  await Promise.all(
    [...watches]
      .filter(({ writableNeedDrain }) => writableNeedDrain)
      .map(
        (response) =>
          new Promise<void>((resolve) => {
            const settle = (): void => {
              response.off('drain', settle).off('close', settle);
              resolve();
            };
            response.on('drain', settle).on('close', settle);
          }),
      ),
  );
}

/** Changes pods in an order that spreads over the whole set and is the same in each run, and sends the events. */
class Writer {
  readonly #pods = started();
  readonly #encoding: FeedingEncoding;
  readonly #eventBytes: number;
  readonly #before = this.#pods.revision;
  readonly #times: Float64Array;
  #written = 0;
  #sent = 0;

  constructor(encoding: FeedingEncoding, limit: number) {
    this.#encoding = encoding;
    this.#eventBytes = encoding.maxEventBytes(this.#pods.set);
    this.#times = new Float64Array(limit);
  }

  get isSent(): boolean {
    return this.#sent === this.#written;
  }

  /** Up to this many events are written now. They are sent when the reader takes them: writing does not wait for it. */
  writeUpTo(count: number): void {
    const now = sharedClockMs();
    while (this.#written < Math.min(count, this.#times.length)) this.#times[this.#written++] = now;
  }

  /** As many events as a slice of time and the reader allow are written and sent. */
  writeMany(): void {
    this.#send(this.#times.length, true);
  }

  send(): void {
    this.#send(this.#written, false);
  }

  #send(limit: number, isWriting: boolean): void {
    const startMs = sharedClockMs();
    while (this.#sent < limit && sharedClockMs() - startMs < SLICE_MS && !isBehind()) {
      const chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, this.#eventBytes));
      let end = 0;
      while (this.#sent < limit && end + this.#eventBytes <= chunk.length) {
        if (isWriting) this.writeUpTo(this.#sent + 1);
        const pod = this.#pods.change((this.#sent * 7919) % this.#pods.set.count);
        end = this.#encoding.writeEvent(this.#pods.set, pod, chunk, end);
        this.#sent++;
      }
      for (const response of watches) response.write(chunk.subarray(0, end));
    }
  }

  result(): Written {
    const versions = Float64Array.from({ length: this.#written }, (_, i) => this.#before + 1 + i);
    return { versions, times: this.#times.slice(0, this.#written) };
  }
}

const CALLS = {
  async start({ spec }: { spec: PopulateSpec }): Promise<{ kubeConfig: string }> {
    feed = new PodFeed(spec);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { kubeConfig: kubeConfigOf((server.address() as AddressInfo).port) };
  },
  async watched(_: object): Promise<void> {
    if (watches.size === 0) await new Promise<void>((resolve) => watchWaiters.push(resolve));
  },
  async digest(_: object): Promise<Digest> {
    return started().digest();
  },
  /** Sleeps between writes, to the millisecond: at high rates a group of events is written at a time. */
  async write({ perSecond, seconds }: WriteOrder): Promise<Written> {
    if (watchEncoding === undefined) throw new Error('write without a watch');
    const writer = new Writer(watchEncoding, Math.ceil((perSecond ?? MAX_PER_SECOND) * seconds));
    const startMs = sharedClockMs();
    const endMs = startMs + seconds * 1000;
    if (perSecond === undefined) {
      while (sharedClockMs() < endMs) {
        writer.writeMany();
        await (isBehind() ? drained() : nextTurn());
      }
    } else {
      for (let nowMs = startMs; ; nowMs = sharedClockMs()) {
        const due = Math.floor(((Math.min(nowMs, endMs) - startMs) / 1000) * perSecond);
        writer.writeUpTo(due);
        writer.send();
        if (writer.isSent && nowMs >= endMs) break;
        const nextMs = writer.isSent ? startMs + ((due + 1) / perSecond) * 1000 : 0;
        await sleep(Math.max(1, Math.round(Math.min(nextMs, endMs) - sharedClockMs())));
      }
    }
    return writer.result();
  },
  /** Of this process since it started. */
  async cpu(_: object): Promise<{ cpuMs: number }> {
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1000 };
  },
  async end(_: object): Promise<void> {
    server.close();
    server.closeAllConnections();
    process.disconnect();
  },
};

export type FeedingCalls = typeof CALLS;

function kubeConfigOf(port: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    // client-node accepts plain HTTP only with skipTLSVerify.
    clusters: [
      { name: 'bench', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } },
    ],
    users: [{ name: 'bench', user: {} }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  });
}

serveCalls(CALLS);
