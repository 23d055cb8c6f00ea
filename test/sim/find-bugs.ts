import { ENGINE_BUGS } from './engine/engine-bugs.js';
import { withBug } from './seeded-bugs.js';
import { loadWorld, type RunWorld } from './worlds.js';

/** Each must be found within so many seeds. */
export const MOST_SEEDS = 1000;

export interface Hunt {
  readonly name: string;
  /** How many it took; undefined if it was not found. */
  readonly seeds: number | undefined;
  readonly violation: string | undefined;
}

/** Plants each bug in a copy of what is built, and runs worlds until one of them breaks a promise. */
export async function* findBugs(built: URL, steps: number, only = ''): AsyncGenerator<Hunt> {
  for (const bug of ENGINE_BUGS.filter(({ name }) => name.includes(only))) {
    yield await withBug(built, bug, async (copy) => hunt(bug.name, await loadWorld('engine', copy), steps));
  }
}

async function hunt(name: string, run: RunWorld, steps: number): Promise<Hunt> {
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    const { violation } = await run({ seed, steps });
    if (violation !== undefined) return { name, seeds: seed, violation };
  }
  return { name, seeds: undefined, violation: undefined };
}
