import { describe, expect, it } from 'vitest';
import { FAULTS } from './faults.js';
import { runSchedule } from './schedule.js';
import { SEEDED_BUGS, withBug } from './seeded-bugs.js';
import { loadSubject } from './subject.js';

const BUILT = new URL('../../dist/src/', import.meta.url);
const SCHEDULES = 1000;
const STEPS = 100;

/** Ways out of trouble that the run must have taken at least once, besides having met every fault. */
const PATHS = [
  'list of anything, paged',
  'list of the most recent',
  'list of the most recent, paged',
  'list at a version',
  'list at a version, paged',
  'list page',
  'version too large',
  'watch expired by itself',
  'streaming list ended well',
  'bookmark',
  'resync',
  'error handler',
  'degraded list taken',
  'long-list',
  'stale-event',
  'store-failed',
  'waiting-for-initial-events-end',
  'watch-ended expired relist',
  'watch-ended internal rewatch',
  'watch-ended internal relist',
  'watch-ended other rewatch',
  'watch-ended other relist',
  'watch-ended resync rewatch',
  'watch-ended storage-read relist',
  'watch-ended store rewatch',
  'watch-ended store relist',
  'watch-ended unreadable rewatch',
  'watch-ended unreadable relist',
  'watch-ended unsound-bookmark relist',
  'watch-ended very-short rewatch',
  'watch-ended very-short relist',
  'watch-list-fallback cut',
  'watch-list-fallback expired',
  'watch-list-fallback internal',
  'watch-list-fallback internal remembered',
  'watch-list-fallback invalid remembered',
  'watch-list-fallback stalled remembered',
  'watch-list-fallback store',
  'watch-list-fallback too-large',
  'watch-list-fallback very-short',
  'watch-retried cut',
  'watch-retried internal',
  'watch-retried refused',
  'watch-retried stalled',
  'watch-retried too-many-requests',
];

describe('the reflector in a simulated world', { timeout: 120_000 }, () => {
  it(`keeps its promises in ${SCHEDULES} schedules that between them meet every fault and every way out`, async () => {
    const subject = await loadSubject(BUILT);
    const reached = new Set<string>();
    for (let seed = 1; seed <= SCHEDULES; seed++) {
      const { violation, tail, sometimes } = await runSchedule({ seed, steps: STEPS, subject });
      for (const name of sometimes.keys()) reached.add(name);
      if (violation === undefined) continue;
      const replay = `npm run sim -- --seed ${seed} --steps ${STEPS} --trace`;
      expect.fail(`seed ${seed}: ${violation}\nreplay: ${replay}\n${tail.join('\n')}`);
    }
    const expected = [...FAULTS.map((fault) => `fault ${fault}`), ...PATHS.map((path) => `path ${path}`)];
    expect(expected.filter((name) => !reached.has(name))).toEqual([]);
  });

  it('is the same world for the same seed, to the last line of its trace', async () => {
    const subject = await loadSubject(BUILT);
    const hashes = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) {
      const first = await runSchedule({ seed, steps: STEPS, subject });
      const second = await runSchedule({ seed, steps: STEPS, subject });
      expect(second.hash).toBe(first.hash);
      hashes.add(first.hash);
    }
    expect(hashes.size).toBe(20);
  });

  it.each(SEEDED_BUGS.map((bug) => [bug.name, bug] as const))('finds an old bug: %s', async (_, bug) => {
    const seed = await withBug(BUILT, bug, async (subject) => {
      for (let seed = 1; seed <= 200; seed++) {
        if ((await runSchedule({ seed, steps: STEPS, subject })).violation !== undefined) return seed;
      }
      return undefined;
    });
    expect(seed).toBeDefined();
  });
});
