import { describe, expect, it } from 'vitest';
import { compareResourceVersion } from '#dist/src/kube/compare-resource-version.js';

// TestCompareResourceVersion
describe('compareResourceVersion', () => {
  it.each([
    ['1', '1', 0],
    ['1', '2', -1],
    ['2', '1', 1],
    ['9', '10', -1],
    ['10', '9', 1],
    ['100', '20', 1],
    ['9007199254740993', '9007199254740992', 1],
    ['340282366920938463463374607431768211455', '340282366920938463463374607431768211456', -1],
    ['99999999999999999999', '100000000000000000000', -1],
  ])('orders %s and %s as integers of any length', (a, b, order) => {
    expect(compareResourceVersion(a, b)).toBe(order);
  });

  it.each([
    ['', '1'],
    ['1', ''],
    ['0', '1'],
    ['01', '1'],
    ['1', '0x1'],
    ['-1', '1'],
    ['1.0', '1'],
    [' 1', '1'],
    ['1\n', '1'],
    ['abc', 'abc'],
  ])('does not order %j and %j', (a, b) => {
    expect(compareResourceVersion(a, b)).toBeUndefined();
  });
});
