import { runElectorSchedule } from './electors/elector-schedule.js';
import { loadElectorSubject } from './electors/elector-subject.js';
import { runEngineSchedule } from './engine/engine-schedule.js';
import { loadEngineSubject } from './engine/engine-subject.js';
import { loadRingSubject, runRingSchedule } from './ring/ring-schedule.js';
import { runSchedule, type ScheduleResult } from './schedule.js';
import { runSnapshotSchedule } from './snapshot/snapshot-schedule.js';
import { loadSubject } from './subject.js';

/**
 * `engine`: everything but the threads. `reflector`: the reflector and the informer, without bytes. `electors`:
 * candidates of a leader election. `ring`: the members of a ring and their Leases. `snapshot`: processes one after the
 * other, each with the snapshots of the last.
 */
export const SCENARIOS = ['engine', 'reflector', 'electors', 'ring', 'snapshot'] as const;

export type ScenarioName = (typeof SCENARIOS)[number];

export interface RunOptions {
  readonly seed: number;
  readonly steps: number;
  readonly isPrinted?: boolean;
}

export type RunSeed = (options: RunOptions) => Promise<ScheduleResult>;

/** `built` is `dist/`, or a copy of it with a seeded bug. */
export async function loadScenario(name: ScenarioName, built: URL): Promise<RunSeed> {
  if (name === 'engine') {
    const subject = await loadEngineSubject(built);
    return (options) => runEngineSchedule({ ...options, subject });
  }
  if (name === 'electors') {
    const subject = await loadElectorSubject(built);
    return (options) => runElectorSchedule({ ...options, subject });
  }
  if (name === 'ring') {
    const subject = await loadRingSubject(built);
    return (options) => runRingSchedule({ ...options, subject });
  }
  if (name === 'snapshot') {
    const subject = await loadEngineSubject(built);
    return (options) => runSnapshotSchedule({ ...options, subject });
  }
  const subject = await loadSubject(new URL('src/', built));
  return (options) => runSchedule({ ...options, subject });
}
