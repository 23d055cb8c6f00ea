import { describe, expect, it } from 'vitest';
import { canonicalQuantity, milliValue } from '#dist/apiserver/formats/quantity.js';

describe('a quantity', () => {
  it.each([
    ['0', '0'],
    ['100m', '100m'],
    ['0.1', '100m'],
    ['1000m', '1'],
    ['1.5', '1500m'],
    ['1024Mi', '1Gi'],
    ['1536Mi', '1536Mi'],
    ['512', '512'],
    ['0.5Ki', '512'],
    ['1.5Gi', '1536Mi'],
    ['1000', '1k'],
    ['1e3', '1e3'],
    ['12e1', '120'],
    ['1E', '1E'],
    ['-1', '-1'],
    ['0.0000000001', '1m'],
    ['1e-10', '1e-3'],
    ['9999999999999999999999', '9999999999999999999999'],
    [2, '2'],
    ['16Gi', '16Gi'],
    ['100k', '100k'],
    ['.5', '500m'],
  ])('%j is canonicalized to %j', (value, expected) => {
    expect(canonicalQuantity(value)).toBe(expected);
  });

  it.each([['abc'], [true], [''], ['1 Gi'], [{}]])('%j is invalid', (value) => {
    expect(() => canonicalQuantity(value)).toThrow('quantities must match the regular expression');
    expect(milliValue(value)).toBeUndefined();
  });

  it('has a numeric value', () => {
    expect(milliValue('1')).toBe(milliValue('1000m'));
    expect(milliValue('1Ki')).toBe(1_024_000);
  });
});
