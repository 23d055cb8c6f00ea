/**
 * As little of an API server as an informer of pods needs: pages, and watches that are fed from templates at a steady rate. The embedded server
 * spends 40 µs on an event of 8 KB, and would be what is measured. Asked by `driven.mjs`.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { resolvePopulateSpec } from '#dist/workers/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/workers/apiserver/generators/rendered-set.js';
import { sharedClockMs } from '../contenders/recording.mjs';

const TICK_MS = 1;
/** As long as one slice of writes may keep the server from sending. */
const SLICE_MS = 5;
const CHUNK_BYTES = 128 * 1024;
/** What may wait in this process for the reader. More would be older news, and nobody's latency. */
const MOST_WAITING_BYTES = 512 * 1024;

const EVENT_HEAD = Buffer.from('{"type":"MODIFIED","object":');
const EVENT_TAIL = Buffer.from('}\n');

/** Pods of a set, with the version and the number of changes of each. */
let set;
let revision;
let revisions;
let mutations;
const watches = new Set();

const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(request.url, 'http://bench');
  if (pathname !== '/api/v1/pods' || query.has('sendInitialEvents')) {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Invalid', code: 422 };
    answer(response, 422, Buffer.from(JSON.stringify(status)));
  } else if (query.get('watch') === 'true') {
    watch(response, Number(query.get('resourceVersion')));
  } else {
    answer(response, 200, page(Number(query.get('limit') ?? set.count), Number(query.get('continue') ?? 0)));
  }
});

function answer(response, code, body) {
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

function page(limit, from) {
  const to = Math.min(set.count, from + limit);
  const next = to < set.count ? `,"continue":"${to}","remainingItemCount":${set.count - to}` : '';
  const head = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${revision}"${next}},"items":[`;
  const items = [];
  for (let i = from; i < to; i++)
    items.push(i > from ? ',' : '', set.itemBytes(i, revisions[i], mutations[i]));
  return Buffer.concat([head, ...items, ']}\n'].map((part) => Buffer.from(part)));
}

/** Everything before the watch was listed: nothing is written meanwhile. */
function watch(response, from) {
  if (from !== revision) throw new Error(`a watch from ${from}, and the server is at ${revision}`);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  response.on('close', () => watches.delete(response));
  watches.add(response);
}

/** One change, as an event in `chunk` from `offset`; returns where it ends. */
function change(index, chunk, offset) {
  revision++;
  revisions[index] = revision;
  mutations[index]++;
  EVENT_HEAD.copy(chunk, offset);
  const start = offset + EVENT_HEAD.length;
  const extra = set.typeMeta.length;
  const end = set.renderInto(chunk, start + extra, index, revision, mutations[index]);
  chunk[start] = 0x7b;
  set.typeMeta.copy(chunk, start + 1);
  EVENT_TAIL.copy(chunk, end);
  return end + EVENT_TAIL.length;
}

const isBehind = () => [...watches].some(({ writableLength }) => writableLength > MOST_WAITING_BYTES);

const ANSWERS = {
  async start({ spec }) {
    set = new RenderedSet(resolvePopulateSpec(spec), 1);
    revision = set.count;
    revisions = Float64Array.from({ length: set.count }, (_, i) => i + 1);
    mutations = new Uint32Array(set.count);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { kubeConfig: kubeConfigOf(server.address().port) };
  },
  /** As the embedded server makes it. Keys rise with the index. */
  async digest() {
    const hash = createHash('sha256');
    for (let i = 0; i < set.count; i++) hash.update(`${set.keyAt(i)} ${set.uidAt(i)} ${revisions[i]}\n`);
    return { count: set.count, digest: hash.digest('hex') };
  },
  /** Resolves with the time of each write, when all are made; the first has the version after `before`. */
  async write({ perSecond, events }) {
    const eventBytes = set.maxItemBytes + set.typeMeta.length + EVENT_HEAD.length + EVENT_TAIL.length;
    const times = new Float64Array(events);
    const before = revision;
    const began = sharedClockMs();
    let done = 0;
    while (done < events) {
      const sliceBegan = sharedClockMs();
      const due = Math.min(events, Math.ceil(((sliceBegan - began) / 1000) * perSecond));
      while (done < due && sharedClockMs() - sliceBegan < SLICE_MS && !isBehind()) {
        const chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, eventBytes));
        let end = 0;
        while (done < due && end + eventBytes <= chunk.length) {
          // Spread over the whole set, the same in each run.
          end = change((done * 7919) % set.count, chunk, end);
          times[done++] = sharedClockMs();
        }
        for (const response of watches) response.write(chunk.subarray(0, end));
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    return { before, after: revision, times };
  },
  /** Of this process since it began. */
  async cpu() {
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1000 };
  },
  async end() {
    server.close();
    server.closeAllConnections();
    process.disconnect();
  },
};

function kubeConfigOf(port) {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bench', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'bench', user: {} }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  });
}

process.on('disconnect', () => process.exit(0));
process.on('message', async ({ ask, ...details }) => {
  const answer = await ANSWERS[ask](details);
  if (process.connected) process.send(answer ?? {});
});
