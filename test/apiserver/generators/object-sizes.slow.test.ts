import { describe, expect, test } from 'vitest';
import type { PopulateSpec } from '#dist/apiserver/control/populate-spec.js';
import { typedKinds } from '#dist/apiserver/generators/kind-profile.js';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';

interface Sizes {
  least: number;
  mean: number;
  most: number;
  /** Of managedFields, in bytes as encoded. */
  leastShare: number;
  mostShare: number;
}

/** One pod of every template; of other kinds, which do not come in tens, half the templates. */
function sizesOf(spec: Omit<PopulateSpec, 'count'>): Sizes {
  const set = new RenderedSet(resolvePopulateSpec({ ...spec, count: 640 }), 1000);
  const sizes: number[] = [];
  const shares: number[] = [];
  for (let index = 0; index < set.count; index += 10) {
    const text = set.itemBytes(index, 1000 + index, 0).toString();
    const { managedFields } = JSON.parse(text).metadata;
    sizes.push(Buffer.byteLength(text));
    shares.push(
      managedFields === undefined ? 0 : JSON.stringify(managedFields).length / Buffer.byteLength(text),
    );
  }
  return {
    least: Math.min(...sizes),
    mean: sizes.reduce((sum, size) => sum + size, 0) / sizes.length,
    most: Math.max(...sizes),
    leastShare: Math.min(...shares),
    mostShare: Math.max(...shares),
  };
}

describe('object sizes', () => {
  const usual: [kind: string, from: number, to: number][] = [
    ['Pod', 8000, 11_000],
    ['Node', 10_000, 15_000],
    ['ConfigMap', 1700, 2300],
    ['Secret', 2600, 3400],
    ['Event', 1100, 1500],
    ['Lease', 700, 1000],
  ];
  test.each(usual)('a %s has %i to %i bytes', (kind, from, to) => {
    const sizes = sizesOf({ kind });
    expect(sizes.least).toBeGreaterThanOrEqual(from);
    expect(sizes.most).toBeLessThanOrEqual(to);
    expect(sizes.most).toBeGreaterThan(sizes.least);
  });

  test('a quarter to a third of a pod is managedFields', () => {
    const sizes = sizesOf({ kind: 'Pod' });
    expect(sizes.leastShare).toBeGreaterThan(0.25);
    expect(sizes.mostShare).toBeLessThan(0.34);
  });

  test.each(typedKinds())('%s is near its default size and share', (kind) => {
    const { profile } = resolvePopulateSpec({ kind, count: 1 });
    const sizes = sizesOf({ kind });
    expect(Math.abs(sizes.mean / profile.sizeBytes - 1)).toBeLessThan(0.02);
    expect(Math.abs(sizes.leastShare - profile.managedFieldsShare)).toBeLessThan(0.06);
  });

  const wanted: Omit<PopulateSpec, 'count'>[] = [
    { kind: 'Pod', sizeBytes: 4000 },
    { kind: 'Pod', sizeBytes: 6000 },
    { kind: 'Pod', sizeBytes: 14_500 },
    { kind: 'Pod', sizeBytes: 50_000 },
    { kind: 'Pod', sizeBytes: 300_000, seed: 3 },
    { kind: 'Node', sizeBytes: 5000 },
    { kind: 'Node', sizeBytes: 50_000 },
    { kind: 'ConfigMap', sizeBytes: 100_000 },
    { kind: 'Secret', sizeBytes: 60_000 },
    { kind: 'EndpointSlice', sizeBytes: 31_000 },
    { kind: 'Service', sizeBytes: 8000 },
    { kind: 'Widget', apiVersion: 'example.com/v1', sizeBytes: 1500 },
    { kind: 'Widget', apiVersion: 'example.com/v1', sizeBytes: 40_000 },
  ];
  test.each(wanted)('sizeBytes is the mean size, and each object is within 10 % of it: %j', (spec) => {
    const sizes = sizesOf(spec);
    const size = spec.sizeBytes as number;
    expect(Math.abs(sizes.mean / size - 1)).toBeLessThan(0.03);
    expect(sizes.least).toBeGreaterThan(size * 0.89);
    expect(sizes.most).toBeLessThan(size * 1.12);
  });

  test.each([0, 0.05, 0.15, 0.3, 0.45, 0.6])('managedFieldsShare %d is met', (share) => {
    for (const sizeBytes of [4000, 9800]) {
      const sizes = sizesOf({ kind: 'Pod', managedFieldsShare: share, sizeBytes });
      expect(sizes.leastShare).toBeGreaterThanOrEqual(share - 0.03);
      expect(sizes.mostShare).toBeLessThanOrEqual(share + 0.03);
    }
  });

  test('labels, annotations and containers are exact, and take precedence over the size', () => {
    for (const [labels, annotations, containers] of [
      [0, 0, 1],
      [3, 1, 2],
      [40, 30, 7],
      [100, 100, 50],
    ] as const) {
      const spec = resolvePopulateSpec({ kind: 'Pod', count: 50, labels, annotations, containers });
      const set = new RenderedSet(spec, 1);
      const { metadata, spec: podSpec, status } = JSON.parse(set.itemBytes(20, 1, 0).toString());
      expect(Object.keys(metadata.labels ?? {})).toHaveLength(labels);
      expect(Object.keys(metadata.annotations ?? {})).toHaveLength(annotations);
      expect(podSpec.containers).toHaveLength(containers);
      expect(status.containerStatuses).toHaveLength(containers);
      expect(new Set(podSpec.containers.map((c: { name: string }) => c.name)).size).toBe(containers);
    }
  });
});
