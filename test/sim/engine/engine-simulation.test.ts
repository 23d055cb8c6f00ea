import { describe, expect, it } from 'vitest';
import { runRange } from '../seed-range.js';
import { withBug } from '../seeded-bugs.js';
import { loadWorld } from '../worlds.js';
import { ENGINE_BUGS } from './engine-bugs.js';

const BUILT = new URL('../../../dist/', import.meta.url);
const STEPS = 100;

/** Thousands of worlds, and the hunt for every bug, are `npm run sim`: .ci/run has both. */
describe('the engine in a simulated world', { timeout: 120_000 }, () => {
  it('keeps its promises in some worlds', async () => {
    const run = await loadWorld('engine', BUILT);
    const { failures } = await runRange(run, { from: 1, seeds: 40, steps: STEPS });
    // To be replayed by `npm run sim -- --seed N --trace`.
    expect(failures.slice(0, 1)).toEqual([]);
  });

  it('is the same world for the same seed, to the last line of its trace', async () => {
    const run = await loadWorld('engine', BUILT);
    for (let seed = 1; seed <= 8; seed++) {
      const first = await run({ seed, steps: STEPS });
      expect((await run({ seed, steps: STEPS })).hash).toBe(first.hash);
    }
  });

  it('finds a bug that is planted', async () => {
    const [bug] = ENGINE_BUGS;
    if (bug === undefined) throw new Error('there are bugs');
    const result = await withBug(BUILT, bug, async (copy) =>
      runRange(await loadWorld('engine', copy), { from: 1, seeds: 20, steps: STEPS }),
    );
    expect(result.failures.length).toBeGreaterThan(0);
  });

  it.each(ENGINE_BUGS.map((bug) => [bug.name, bug] as const))(
    'has a place for the bug: %s',
    async (_, bug) => {
      await expect(withBug(BUILT, bug, async () => 'planted')).resolves.toBe('planted');
    },
  );
});
