import { expect, it } from 'vitest';
import { loadRingSubject, runRingSchedule } from './ring-schedule.js';

const BUILT = new URL('../../../dist/', import.meta.url);
const MAX_SEEDS = 300;

it('the simulation of rings finds members whose deadline counts from the response of a renewal, not from when it was sent', {
  timeout: 120_000,
}, async () => {
  const subject = { ...(await loadRingSubject(BUILT)), countsFromResponse: true };
  const violations: string[] = [];
  for (let seed = 1; seed <= MAX_SEEDS && violations.length === 0; seed++) {
    const { violation } = await runRingSchedule({ subject, seed, steps: 100 });
    if (violation !== undefined) violations.push(violation);
  }
  expect(violations[0]).toMatch(/is (owned|reconciled) by/);
});
