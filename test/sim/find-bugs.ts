import { ENGINE_BUGS } from './engine/engine-bugs.js';
import { loadScenario, type RunSeed } from './scenarios.js';
import { withBug } from './seeded-bugs.js';

/** Every bug must be found within this number of seeds. */
export const MAX_SEEDS = 1000;

export interface BugSearch {
  readonly name: string;
  /** The number of seeds it took; undefined if the bug was not found. */
  readonly seeds: number | undefined;
  readonly violation: string | undefined;
}

/** Plants each bug in a copy of the built files, and runs seeds until one of them finds a violation. */
export async function* findBugs(built: URL, steps: number, only = ''): AsyncGenerator<BugSearch> {
  for (const bug of ENGINE_BUGS.filter(({ name }) => name.includes(only))) {
    yield await withBug(built, bug, async (copy) =>
      searchFor(bug.name, await loadScenario('engine', copy), steps),
    );
  }
}

async function searchFor(name: string, run: RunSeed, steps: number): Promise<BugSearch> {
  for (let seed = 1; seed <= MAX_SEEDS; seed++) {
    const { violation } = await run({ seed, steps });
    if (violation !== undefined) return { name, seeds: seed, violation };
  }
  return { name, seeds: undefined, violation: undefined };
}
