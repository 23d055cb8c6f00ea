/** The cost of the queues between reflector and store: RealFIFO, the informers', and DeltaFIFO. */
import { deepStrictEqual } from 'node:assert';
import { KubeflectError } from 'kubeflect';
import { DeltaFIFO, ObjectEntry } from 'kubeflect/cache';
import { RealFIFO } from '#dist/src/store/queue/real-fifo.js';
import { MICRO_OPTIONS, microReport } from '../runner/micro.js';
import { type BenchCase, defineCase } from './case.js';

const ITEMS = 10_000;

export const fifo: BenchCase = defineCase(MICRO_OPTIONS, ({ time }) => {
  const entries = Array.from({ length: ITEMS }, (_, i) => entryOf(i, i + 1));
  const newer = entries.map((_, i) => entryOf(i, ITEMS + i + 1));
  const tasks = [
    { name: 'RealFIFO: events', items: ITEMS, run: () => realFifoEvents(entries) },
    { name: 'RealFIFO: a list', items: ITEMS, run: () => realFifoList(entries) },
    { name: 'DeltaFIFO: events', items: ITEMS, run: () => deltaFifoEvents([entries]) },
    {
      name: 'DeltaFIFO: two events per key',
      items: 2 * ITEMS,
      run: () => deltaFifoEvents([entries, newer]),
    },
    { name: 'DeltaFIFO: a list', items: ITEMS, run: () => deltaFifoList(entries) },
  ];
  return microReport(`Queues, ${ITEMS} objects in and out`, tasks, time);
});

function entryOf(i: number, version: number): ObjectEntry {
  const metadata = {
    namespace: `team-${i % 50}`,
    name: `pod-${i}`,
    uid: `uid-${i}`,
    resourceVersion: String(version),
  };
  return new ObjectEntry({ apiVersion: 'v1', kind: 'Pod', metadata });
}

function realFifoEvents(entries: readonly ObjectEntry[]): void {
  const queue = new RealFIFO();
  for (const entry of entries) queue.update(entry);
  let popped = 0;
  for (let delta = queue.pop(); delta !== undefined; delta = queue.pop()) {
    popped++;
    queue.done(delta);
  }
  deepStrictEqual([popped, queue.length], [entries.length, 0]);
}

function realFifoList(entries: readonly ObjectEntry[]): void {
  const queue = new RealFIFO();
  queue.replace(entries, '1');
  const delta = queue.pop();
  if (delta?.type !== 'ReplacedAll') throw new Error(`expected ReplacedAll, got ${delta?.type}`);
  let popped = 0;
  for (const _ of delta.entries) popped++;
  queue.done(delta);
  deepStrictEqual([popped, queue.hasSynced], [entries.length, true]);
}

async function deltaFifoEvents(rounds: readonly (readonly ObjectEntry[])[]): Promise<void> {
  const queue = new DeltaFIFO();
  for (const entries of rounds) for (const entry of entries) queue.update(entry);
  deepStrictEqual(await popAll(queue), rounds.length * ITEMS);
}

async function deltaFifoList(entries: readonly ObjectEntry[]): Promise<void> {
  const queue = new DeltaFIFO();
  queue.replace(entries, '1');
  deepStrictEqual([await popAll(queue), queue.hasSynced], [entries.length, true]);
}

async function popAll(queue: DeltaFIFO): Promise<number> {
  let deltas = 0;
  queue.close();
  for (;;) {
    try {
      await queue.popBatch((batch) => {
        for (const { length } of batch) deltas += length;
      });
    } catch (error) {
      if (error instanceof KubeflectError && error.code === 'KUBEFLECT_QUEUE_CLOSED') return deltas;
      throw error;
    }
  }
}
