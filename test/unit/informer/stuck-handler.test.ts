import { expect, it } from 'vitest';
import { entry } from '../../support/entries.js';
import { heldBytes } from '../../support/garbage.js';
import { InformerHarness } from '../../support/informer-harness.js';

const KEYS = 10_000;
const PER_SECOND = 1000;
const SECONDS = 600;

it('a handler that is stuck for ten minutes at 1,000 events a second costs no more than twice what is alive, from the first minute on', async () => {
  const before = await heldBytes();
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
  const live = (await heldBytes()) - before;
  const everyMinute: { pending: number; held: number }[] = [];
  for (let second = 1; second <= SECONDS; second++) {
    for (let i = 0; i < PER_SECOND; i++) {
      version++;
      h.store.update(entry(`p${version % KEYS}`, version));
    }
    await h.clock.advance(1000);
    if (second % 60 === 0) everyMinute.push({ pending: pending(), held: (await heldBytes()) - before });
  }
  expect(version).toBe(KEYS + PER_SECOND * SECONDS);
  expect(calls).toBe(1);
  expect(h.informer.lastStoreSyncResourceVersion).toBe(String(version));
  // One state of each.
  expect(new Set(everyMinute.map((look) => look.pending))).toEqual(new Set([KEYS]));
  const held = everyMinute.map((look) => look.held);
  console.log(JSON.stringify({ live, held }));
  expect(Math.max(...held) - live).toBeLessThan(live * 2);
  expect(Math.max(...held)).toBeLessThan((held[0] ?? 0) * 1.1);
  await h.stop();
});
