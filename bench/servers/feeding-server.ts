/**
 * The minimum of an API server for an informer of pods: pages, and watches that are fed from templates at a steady
 * rate. The embedded server spends 40 µs on an event of 8 KB, and would be what is measured. Driven by
 * runner/driven-process.ts.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PopulateSpec } from 'kubeflect/testing';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { sharedClockMs } from '../contenders/recording.js';
import { serveCalls } from '../contenders/serve-calls.js';
import type { Digest } from '../contenders/task.js';
import { encodingOf, type FeedingEncoding, type PodState } from './feeding-encodings.js';

const TICK_MS = 1;
/** The longest time that a slice of writes keeps the server from sending. */
const SLICE_MS = 5;
const CHUNK_BYTES = 128 * 1024;
/** Queued for a reader in this process. More would make events old before they are sent. */
const MAX_QUEUED_BYTES = 512 * 1024;

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

const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://bench');
  if (pathname !== '/api/v1/pods' || query.has('sendInitialEvents')) {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Invalid', code: 422 };
    send(response, 422, 'application/json', Buffer.from(JSON.stringify(status)));
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

/** Nothing is written between list and watch, so there are no earlier events to send. */
function watch(request: IncomingMessage, response: ServerResponse, from: number): void {
  const { revision } = started();
  if (from !== revision) throw new Error(`a watch from ${from}, and the server is at ${revision}`);
  watchEncoding = encodingOf(request);
  response.writeHead(200, { 'content-type': watchEncoding.watchType });
  response.flushHeaders();
  response.on('close', () => watches.delete(response));
  watches.add(response);
}

function isBehind(): boolean {
  return [...watches].some(({ writableLength }) => writableLength > MAX_QUEUED_BYTES);
}

export interface Written {
  /** The first event has the revision after `before`. */
  readonly before: number;
  readonly after: number;
  /** The time of each write, by sharedClockMs. */
  readonly times: Float64Array;
}

const CALLS = {
  async start({ spec }: { spec: PopulateSpec }): Promise<{ kubeConfig: string }> {
    feed = new PodFeed(spec);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { kubeConfig: kubeConfigOf((server.address() as AddressInfo).port) };
  },
  async digest(_: object): Promise<Digest> {
    return started().digest();
  },
  /** Resolves when all events are written. */
  async write({ perSecond, events }: { perSecond: number; events: number }): Promise<Written> {
    const pods = started();
    if (watchEncoding === undefined) throw new Error('write without a watch');
    const eventBytes = watchEncoding.maxEventBytes(pods.set);
    const times = new Float64Array(events);
    const before = pods.revision;
    const startMs = sharedClockMs();
    let done = 0;
    while (done < events) {
      const sliceStartMs = sharedClockMs();
      const due = Math.min(events, Math.ceil(((sliceStartMs - startMs) / 1000) * perSecond));
      while (done < due && sharedClockMs() - sliceStartMs < SLICE_MS && !isBehind()) {
        const chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, eventBytes));
        let end = 0;
        while (done < due && end + eventBytes <= chunk.length) {
          // Spread over the whole set, and the same in each run.
          end = watchEncoding.writeEvent(pods.set, pods.change((done * 7919) % pods.set.count), chunk, end);
          times[done++] = sharedClockMs();
        }
        for (const response of watches) response.write(chunk.subarray(0, end));
      }
      await sleep(TICK_MS);
    }
    return { before, after: pods.revision, times };
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
    clusters: [{ name: 'bench', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'bench', user: {} }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  });
}

serveCalls(CALLS);
