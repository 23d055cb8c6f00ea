import { expect, test } from 'vitest';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { heldBytes } from '../../support/engine/garbage.js';

function millionPods(seed: number): RenderedSet {
  const set = new RenderedSet(resolvePopulateSpec({ kind: 'Pod', count: 1_000_000, seed }), 1);
  let bytes = 0;
  for (let k = 0; k < 1000; k++) bytes += set.itemBytes((k * 7919 * 131) % 1_000_000, k + 1, k % 3).length;
  expect(bytes).toBeGreaterThan(8_000_000);
  return set;
}

test('a million pods take only the memory of their templates', async () => {
  // The first set also pays for compiled code.
  millionPods(1);
  const before = await heldBytes();
  const set = millionPods(2);
  const grown = (await heldBytes()) - before;
  expect(set.keyAt(999_999)).toMatch(/^ns-00999\/app-00099-/);
  // 64 templates of 10 KB, and the labels and fields of each.
  expect(grown).toBeLessThan(4 * 1024 * 1024);
});
