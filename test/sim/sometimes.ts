import { ENGINE_FAULTS } from './engine/engine-faults.js';
import { FAULTS } from './faults.js';
import type { WorldName } from './worlds.js';

/** Ways out of trouble that enough worlds must have taken, besides having met every fault. */
export const PATHS: Readonly<Record<WorldName, readonly string[]>> = {
  reflector: [],
  engine: [],
};

const FAULTS_OF: Readonly<Record<WorldName, readonly string[]>> = { reflector: FAULTS, engine: ENGINE_FAULTS };

/** What never happened and has to, sometimes. */
export function missing(world: WorldName, sometimes: Readonly<Record<string, number>>): string[] {
  const expected = [
    ...FAULTS_OF[world].map((fault) => `fault ${fault}`),
    ...PATHS[world].map((path) => `path ${path}`),
  ];
  return expected.filter((name) => sometimes[name] === undefined);
}
