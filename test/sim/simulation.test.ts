import { describe, expect, it } from 'vitest';
import { runRange } from './seed-range.js';
import { SEEDED_BUGS, withBug } from './seeded-bugs.js';
import { missing } from './sometimes.js';
import { loadWorld } from './worlds.js';

const BUILT = new URL('../../dist/', import.meta.url);
const SCHEDULES = 1000;
const STEPS = 100;

describe('the reflector in a simulated world', { timeout: 120_000 }, () => {
  it(`keeps its promises in ${SCHEDULES} schedules that between them meet every fault and every way out`, async () => {
    const run = await loadWorld('reflector', BUILT);
    const { failures, sometimes } = await runRange(run, { from: 1, seeds: SCHEDULES, steps: STEPS });
    // To be replayed by `npm run sim -- --world reflector --seed N --trace`.
    expect(failures.slice(0, 1)).toEqual([]);
    expect(missing('reflector', sometimes)).toEqual([]);
  });

  it('is the same world for the same seed, to the last line of its trace', async () => {
    const run = await loadWorld('reflector', BUILT);
    const hashes = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) {
      const first = await run({ seed, steps: STEPS });
      const second = await run({ seed, steps: STEPS });
      expect(second.hash).toBe(first.hash);
      hashes.add(first.hash);
    }
    expect(hashes.size).toBe(20);
  });

  it.each(SEEDED_BUGS.map((bug) => [bug.name, bug] as const))('finds an old bug: %s', async (_, bug) => {
    const seed = await withBug(BUILT, bug, async (copy) => {
      const run = await loadWorld('reflector', copy);
      for (let seed = 1; seed <= 200; seed++) {
        if ((await run({ seed, steps: STEPS })).violation !== undefined) return seed;
      }
      return undefined;
    });
    expect(seed).toBeDefined();
  });
});
