/**
 * As little of an API server as an informer of pods needs: pages, and watches that are fed from templates at a steady rate. The embedded server
 * spends 40 µs on an event of 8 KB, and would be what is measured. Asked by `driven.mjs`.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { sharedClockMs } from '../contenders/recording.mjs';
import { formOf } from './feeding-forms.mjs';

const TICK_MS = 1;
/** As long as one slice of writes may keep the server from sending. */
const SLICE_MS = 5;
const CHUNK_BYTES = 128 * 1024;
/** What may wait in this process for the reader. More would be older news, and nobody's latency. */
const MOST_WAITING_BYTES = 512 * 1024;

/** Pods of a set, with the version and the number of changes of each. */
let set;
let revision;
let revisions;
let mutations;
const watches = new Set();
/** Of the watches. */
let form;

const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(request.url, 'http://bench');
  if (pathname !== '/api/v1/pods' || query.has('sendInitialEvents')) {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Invalid', code: 422 };
    answer(response, 422, 'application/json', Buffer.from(JSON.stringify(status)));
  } else if (query.get('watch') === 'true') {
    watch(request, response, Number(query.get('resourceVersion')));
  } else {
    const pages = formOf(request);
    const body = page(pages, Number(query.get('limit') ?? set.count), Number(query.get('continue') ?? 0));
    answer(response, 200, pages.listType, body);
  }
});

function answer(response, code, type, body) {
  response.writeHead(code, { 'content-type': type, 'content-length': body.length });
  response.end(body);
}

function page(pages, limit, from) {
  const to = Math.min(set.count, from + limit);
  const objects = [];
  for (let index = from; index < to; index++)
    objects.push({ index, revision: revisions[index], mutation: mutations[index] });
  return pages.page(set, objects, {
    resourceVersion: String(revision),
    ...(to < set.count && { continue: String(to), remainingItemCount: set.count - to }),
  });
}

/** Everything before the watch was listed: nothing is written meanwhile. */
function watch(request, response, from) {
  if (from !== revision) throw new Error(`a watch from ${from}, and the server is at ${revision}`);
  form = formOf(request);
  response.writeHead(200, { 'content-type': form.watchType });
  response.flushHeaders();
  response.on('close', () => watches.delete(response));
  watches.add(response);
}

/** One change, as an event in `chunk` from `offset`; returns where it ends. */
function change(index, chunk, offset) {
  revision++;
  revisions[index] = revision;
  mutations[index]++;
  return form.writeEvent(set, { index, revision, mutation: mutations[index] }, chunk, offset);
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
    const eventBytes = form.mostBytes(set);
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
