import { describe, expect, it } from 'vitest';
import { uncovered } from './coverage.js';
import { ENGINE_BUGS } from './engine/engine-bugs.js';
import { loadScenario } from './scenarios.js';
import { runRange } from './seed-range.js';
import { SEEDED_BUGS, withBug } from './seeded-bugs.js';

const BUILT = new URL('../../dist/', import.meta.url);
const SEEDS = 1000;
const STEPS = 100;

describe('the simulation, scenario reflector', { timeout: 120_000 }, () => {
  it(`finds no violation in ${SEEDS} seeds, which cover every fault and every recovery path`, async () => {
    const run = await loadScenario('reflector', BUILT);
    const { failures, counters } = await runRange(run, { from: 1, seeds: SEEDS, steps: STEPS });
    // Replay a failure with `npm run sim -- --scenario reflector --seed N --trace`.
    expect(failures.slice(0, 1)).toEqual([]);
    expect(uncovered('reflector', counters)).toEqual([]);
  });

  it.each(SEEDED_BUGS)('finds a seeded bug: $name', async (bug) => {
    const seed = await withBug(BUILT, bug, async (copy) => {
      const run = await loadScenario('reflector', copy);
      for (let seed = 1; seed <= 200; seed++) {
        if ((await run({ seed, steps: STEPS })).violation !== undefined) return seed;
      }
      return undefined;
    });
    expect(seed).toBeDefined();
  });
});

/** .ci/run runs 2,000 seeds and finds every seeded bug, with `npm run sim`. */
describe('the simulation, scenario engine', { timeout: 120_000 }, () => {
  it('finds no violation in 40 seeds', async () => {
    const run = await loadScenario('engine', BUILT);
    const { failures } = await runRange(run, { from: 1, seeds: 40, steps: STEPS });
    // Replay a failure with `npm run sim -- --seed N --trace`.
    expect(failures.slice(0, 1)).toEqual([]);
  });

  it('finds a seeded bug', async () => {
    const [bug] = ENGINE_BUGS;
    if (bug === undefined) throw new Error('no bug is defined');
    const result = await withBug(BUILT, bug, async (copy) =>
      runRange(await loadScenario('engine', copy), { from: 1, seeds: 20, steps: STEPS }),
    );
    expect(result.failures.length).toBeGreaterThan(0);
  });
});
