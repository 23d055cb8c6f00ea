import { ELECTOR_BUGS } from './electors/elector-bugs.js';
import { ENGINE_BUGS } from './engine/engine-bugs.js';
import { RING_BUGS } from './ring/ring-bugs.js';
import { loadScenario, type RunSeed, type ScenarioName } from './scenarios.js';
import { SEEDED_BUGS, type SeededBug, withBug } from './seeded-bugs.js';
import { SNAPSHOT_BUGS } from './snapshot/snapshot-bugs.js';

const BUGS: Readonly<Record<ScenarioName, readonly SeededBug[]>> = {
  engine: ENGINE_BUGS,
  reflector: SEEDED_BUGS,
  electors: ELECTOR_BUGS,
  ring: RING_BUGS,
  snapshot: SNAPSHOT_BUGS,
};

/** Every bug must be found within this number of seeds. */
export const MAX_SEEDS = 1000;

export interface BugSearch {
  readonly name: string;
  /** The number of seeds it took; undefined if the bug was not found. */
  readonly seeds: number | undefined;
  readonly violation: string | undefined;
}

/** Plants each bug of the scenario in a copy of the built files, and runs seeds until one of them finds a violation. */
export async function* findBugs(
  scenario: ScenarioName,
  built: URL,
  steps: number,
  only = '',
): AsyncGenerator<BugSearch> {
  for (const bug of BUGS[scenario].filter(({ name }) => name.includes(only))) {
    yield await withBug(built, bug, async (copy) =>
      searchFor(bug.name, await loadScenario(scenario, copy), steps),
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
