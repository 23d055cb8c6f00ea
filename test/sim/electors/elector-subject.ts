import type * as election from '#dist/src/lease/election.js';
import type * as memory from '#dist/src/lease/leadership-memory.js';

/** The modules under test. Loaded by URL, so that a copy with a seeded bug can take their place. */
export interface ElectorSubject {
  readonly Election: typeof election.Election;
  readonly TermMemory: typeof memory.TermMemory;
}

/** `directory` is `dist/` or a copy of it. */
export async function loadElectorSubject(directory: URL): Promise<ElectorSubject> {
  const load = (file: string) => import(new URL(file, directory).href);
  return {
    ...((await load('src/lease/election.js')) as typeof election),
    ...((await load('src/lease/leadership-memory.js')) as typeof memory),
  };
}
