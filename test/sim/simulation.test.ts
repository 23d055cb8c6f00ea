import { describe, expect, it } from 'vitest';
import { loadScenario } from './scenarios.js';

const BUILT = new URL('../../dist/', import.meta.url);
const STEPS = 100;

/** A few seeds. simulation.slow.test.ts has more of them, `npm run sim` has as many as are asked for. */
describe.each([
  { name: 'reflector', seeds: 20 },
  { name: 'engine', seeds: 8 },
  { name: 'electors', seeds: 20 },
  { name: 'ring', seeds: 4 },
  { name: 'snapshot', seeds: 4 },
] as const)('the simulation, scenario $name', { timeout: 120_000 }, ({ name, seeds }) => {
  it('finds no violation, and writes the same trace for the same seed', async () => {
    const run = await loadScenario(name, BUILT);
    const hashes = new Set<string>();
    for (let seed = 1; seed <= seeds; seed++) {
      const first = await run({ seed, steps: STEPS });
      const second = await run({ seed, steps: STEPS });
      expect(first.violation).toBeUndefined();
      expect(second.hash).toBe(first.hash);
      hashes.add(first.hash);
    }
    expect(hashes.size).toBe(seeds);
  });
});
