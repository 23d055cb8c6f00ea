import { runController } from 'kubeflect';
import { expect, it } from 'vitest';
import type { RingOwnership } from '#dist/src/kube/sharding/ring-shards.js';
import { InformerHarness } from '../support/informer/informer-harness.js';
import { entry } from '../support/objects/entries.js';

it('a filter applies also to what is reconciled when a shard is acquired, and to deleted objects', async () => {
  let acquire: (shard: number) => void = () => {};
  const ring: RingOwnership = {
    start: () => {},
    shardOf: () => 0,
    enter: () => ({ signal: new AbortController().signal, end: () => {} }),
    onAcquired: (listener) => {
      acquire = listener;
      return () => {};
    },
  };
  const h = new InformerHarness();
  const calls: string[] = [];
  const controller = runController({
    informer: h.informer,
    ring,
    clock: h.clock,
    filter: ({ name }) => name !== 'left-out',
    reconcile: (key) => void calls.push(key),
  });
  const acquired = async (): Promise<string[]> => {
    calls.length = 0;
    acquire(0);
    await h.clock.drain();
    return calls.splice(0).sort();
  };
  await h.start([[entry('a', 1), entry('left-out', 2)], '2']);
  expect(await acquired()).toEqual(['default/a']);
  h.store.delete(entry('left-out', 3));
  await h.clock.drain();
  expect(await acquired()).toEqual(['default/a']);
  h.store.delete(entry('a', 4));
  await h.clock.drain();
  expect(calls).toEqual(['default/a']);
  expect(await acquired()).toEqual([]);
  await controller.stop();
});
