import { expect, it } from 'vitest';
import { entry } from '../../support/entries.js';
import { InformerHarness } from '../../support/informer-harness.js';

const KEYS = 10_000;
const PER_SECOND = 1000;
const SECONDS = 600;

it('a handler that is stuck for ten minutes at 1,000 events a second is behind by no more than the objects that there are', async () => {
  const h = new InformerHarness();
  let calls = 0;
  h.informer.addEventHandler({
    onUpdate: () => {
      calls++;
      return new Promise(() => {});
    },
  });
  await h.start([Array.from({ length: KEYS }, (_, i) => entry(`p${i}`, i + 1)), String(KEYS)]);
  const pending = (): number => h.informer.health().handlers[0]?.pending ?? 0;
  let version = KEYS;
  const everyMinute: number[] = [];
  for (let second = 1; second <= SECONDS; second++) {
    for (let i = 0; i < PER_SECOND; i++) {
      version++;
      h.store.update(entry(`p${version % KEYS}`, version));
    }
    await h.clock.advance(1000);
    if (second % 60 === 0) everyMinute.push(pending());
  }
  expect(version).toBe(KEYS + PER_SECOND * SECONDS);
  expect(calls).toBe(1);
  expect(h.informer.lastStoreSyncResourceVersion).toBe(String(version));
  // One state of each, from the first minute on: flat.
  expect(new Set(everyMinute)).toEqual(new Set([KEYS]));
  await h.stop();
});
