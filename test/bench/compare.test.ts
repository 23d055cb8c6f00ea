import { describe, expect, it } from 'vitest';
import { differences } from '../../bench/compare/difference.js';

const roundsOf = (...values: number[]) => values.map((value) => ({ 'time, ms': value }));

describe('bench:compare', () => {
  it('reports a change beyond the noise of the base as worse or better', () => {
    const base = roundsOf(100, 101, 99);
    const baseAgain = roundsOf(100, 100, 101);
    expect(differences({ base, baseAgain, branch: roundsOf(120, 121, 119) })).toMatchObject([
      { name: 'time, ms', base: 100, branch: 120, verdict: 'worse' },
    ]);
    expect(differences({ base, baseAgain, branch: roundsOf(80, 81, 79) })).toMatchObject([
      { verdict: 'better' },
    ]);
  });

  it('reports no difference within the spread of the base', () => {
    const base = roundsOf(80, 100, 120);
    const baseAgain = roundsOf(82, 101, 121);
    expect(differences({ base, baseAgain, branch: roundsOf(119, 120, 121) })).toMatchObject([
      { verdict: 'no difference' },
    ]);
  });

  it('reports no difference below three percent, however little the base varies', () => {
    const base = roundsOf(100, 100, 100);
    expect(differences({ base, baseAgain: base, branch: roundsOf(102, 102, 102) })).toMatchObject([
      { noise: 0.03, verdict: 'no difference' },
    ]);
  });
});
