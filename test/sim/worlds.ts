import { runEngineSchedule } from './engine/engine-schedule.js';
import { loadEngineSubject } from './engine/engine-subject.js';
import { runSchedule, type ScheduleResult } from './schedule.js';
import { loadSubject } from './subject.js';

/** `engine`: everything but the threads. `reflector`: the reflector and the informer, without bytes. */
export type WorldName = 'engine' | 'reflector';

export interface RunOptions {
  readonly seed: number;
  readonly steps: number;
  readonly isPrinted?: boolean;
}

export type RunWorld = (options: RunOptions) => Promise<ScheduleResult>;

/** `built` is `dist/`, or a copy of it with a bug. */
export async function loadWorld(name: WorldName, built: URL): Promise<RunWorld> {
  if (name === 'engine') {
    const subject = await loadEngineSubject(built);
    return (options) => runEngineSchedule({ ...options, subject });
  }
  const subject = await loadSubject(new URL('src/', built));
  return (options) => runSchedule({ ...options, subject });
}
