import { describe, expect, it } from 'vitest';
import { fuzzDocuments, fuzzMutations } from '../../fuzz/fuzz.js';

/** Differs between runs, except in CI; `FAST_CHECK_SEED` repeats a run. */
const SEED = Number(
  process.env['FAST_CHECK_SEED'] ?? (process.env['CI'] === undefined ? Date.now() & 0xffffff : 7),
);

describe('the WebAssembly decoder and the reference decoder', { timeout: 120_000 }, () => {
  it('agree on random documents', async () => {
    const verdicts = await fuzzDocuments({ seed: SEED, count: 8000 });
    expect(verdicts.accepted, 'most are ordinary').toBeGreaterThan(verdicts.special);
  });

  it('agree on real documents with faults in them', async () => {
    const verdicts = await fuzzMutations({ seed: SEED, count: 12_000 });
    expect(Math.min(verdicts.accepted, verdicts.invalid), 'both happen').toBeGreaterThan(1000);
  });
});
