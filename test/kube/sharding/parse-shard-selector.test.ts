import { describe, expect, it } from 'vitest';
import { parseShardSelector, ShardSelectorError } from '#dist/src/kube/sharding/parse-shard-selector.js';
import { formatShardSelector } from '#dist/src/kube/sharding/shard-selector.js';
import { INVALID_SELECTORS, SELECTORS, VALID_SELECTORS } from '../../suites/sharding/selectors.js';

describe('parseShardSelector', () => {
  it.each(VALID_SELECTORS)(
    'accepts %j, and formats it as the API server does',
    (text = '', canonical = text) => {
      expect(formatShardSelector(parseShardSelector(text))).toBe(canonical);
    },
  );

  it.each(INVALID_SELECTORS.map((text) => [text]))('rejects %j', (text) => {
    expect(() => parseShardSelector(text)).toThrow(ShardSelectorError);
  });

  it('parses what it has formatted, of all that it accepts', () => {
    let accepted = 0;
    for (const text of SELECTORS) {
      if (INVALID_SELECTORS.includes(text)) continue;
      const selector = parseShardSelector(text);
      expect(parseShardSelector(formatShardSelector(selector))).toEqual(selector);
      accepted++;
    }
    expect(SELECTORS).toHaveLength(200);
    expect(accepted).toBeGreaterThan(90);
  });

  it('limits the nesting of parentheses', () => {
    const nested = `${'('.repeat(100_000)}x${')'.repeat(100_000)}`;
    expect(() => parseShardSelector(nested)).toThrow('recursion limit');
  });
});
