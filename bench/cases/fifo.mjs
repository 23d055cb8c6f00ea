/** What the queues cost between the reflector and the store: RealFIFO, the informer's, and DeltaFIFO. */
import { deepStrictEqual } from 'node:assert';
import { DeltaFIFO, ObjectEntry } from 'kubeflect/cache';
import { RealFIFO } from '#dist/src/store/queue/real-fifo.js';
import { microReport } from '../micro.mjs';

export { options } from '../micro.mjs';

const ITEMS = 10_000;

export function run(values) {
  const entries = Array.from({ length: ITEMS }, (_, i) => entryOf(i, i + 1));
  const again = entries.map((_, i) => entryOf(i, ITEMS + i + 1));
  const tasks = [
    { name: 'RealFIFO: events', items: ITEMS, run: () => atomicEvents(entries) },
    { name: 'RealFIFO: a list', items: ITEMS, run: () => atomicList(entries) },
    { name: 'DeltaFIFO: events', items: ITEMS, run: () => deltaEvents([entries]) },
    { name: 'DeltaFIFO: two events of each key', items: 2 * ITEMS, run: () => deltaEvents([entries, again]) },
    { name: 'DeltaFIFO: a list', items: ITEMS, run: () => deltaList(entries) },
  ];
  return microReport(`Queues, ${ITEMS} objects in and out`, tasks, values);
}

function entryOf(i, version) {
  const metadata = {
    namespace: `team-${i % 50}`,
    name: `pod-${i}`,
    uid: `uid-${i}`,
    resourceVersion: String(version),
  };
  return new ObjectEntry({ apiVersion: 'v1', kind: 'Pod', metadata });
}

function atomicEvents(entries) {
  const fifo = new RealFIFO();
  for (const entry of entries) fifo.update(entry);
  let popped = 0;
  for (let batch = fifo.popBatch(); batch !== undefined; batch = fifo.popBatch()) {
    popped += batch.deltas.length;
    batch.done();
  }
  deepStrictEqual([popped, fifo.length], [entries.length, 0]);
}

function atomicList(entries) {
  const fifo = new RealFIFO();
  fifo.replace(entries, '1');
  const batch = fifo.popBatch();
  let popped = 0;
  for (const _ of batch.deltas[0].entries) popped++;
  batch.done();
  deepStrictEqual([popped, fifo.hasSynced], [entries.length, true]);
}

async function deltaEvents(rounds) {
  const fifo = new DeltaFIFO();
  for (const entries of rounds) for (const entry of entries) fifo.update(entry);
  const deltas = await popAll(fifo);
  deepStrictEqual(deltas, rounds.length * ITEMS);
}

async function deltaList(entries) {
  const fifo = new DeltaFIFO();
  fifo.replace(entries, '1');
  deepStrictEqual([await popAll(fifo), fifo.hasSynced], [entries.length, true]);
}

async function popAll(fifo) {
  let deltas = 0;
  fifo.close();
  for (;;) {
    try {
      await fifo.popBatch((batch) => {
        for (const one of batch) deltas += one.length;
      });
    } catch (error) {
      if (error.code === 'KUBEFLECT_QUEUE_CLOSED') return deltas;
      throw error;
    }
  }
}
