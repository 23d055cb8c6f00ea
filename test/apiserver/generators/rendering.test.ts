import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PopulateSpec } from '#dist/apiserver/control/populate-spec.js';
import { typedKinds } from '#dist/apiserver/generators/kind-profile.js';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';

const KINDS: Omit<PopulateSpec, 'count'>[] = [
  ...typedKinds().map((kind) => ({ kind })),
  { kind: 'Widget', apiVersion: 'example.com/v1' },
  { kind: 'Widget', apiVersion: 'example.com/v1', namespaces: 0 },
];

function setOf(spec: Omit<PopulateSpec, 'count'>, count = 100_000): RenderedSet {
  return new RenderedSet(resolvePopulateSpec({ ...spec, count }), 1);
}

const coordinates = fc.record({
  index: fc.nat({ max: 99_999 }),
  revision: fc.oneof(fc.maxSafeNat(), fc.nat(), fc.constantFrom(0, 9, 10, 99_999, 2 ** 31, 2 ** 53 - 1)),
  mutation: fc.oneof(fc.constant(0), fc.nat({ max: 20 }), fc.nat()),
});

/** For the tests that only read. */
const sets = new Map(KINDS.map((spec) => [spec, setOf(spec)]));

describe('rendering', () => {
  test.each(KINDS)('produces valid JSON at any revision and mutation: %j', (spec) => {
    const set = sets.get(spec) as RenderedSet;
    fc.assert(
      fc.property(coordinates, ({ index, revision, mutation }) => {
        const item = set.itemBytes(index, revision, mutation);
        const { metadata } = JSON.parse(item.toString());
        expect(metadata.resourceVersion).toBe(String(revision));
        expect(metadata.uid).toBe(set.uidAt(index));
        expect(item.length).toBe(set.itemLength(index, revision, mutation));
        expect(item.length).toBeLessThanOrEqual(set.maxItemBytes);
        expect(item.toString()).not.toMatch(/[\ue000-\uf8ff?]{2}/u);
      }),
      { numRuns: 40 },
    );
  });

  test.each(KINDS)('depends on nothing but spec, index, revision and mutation: %j', (spec) => {
    const [one, other] = [setOf(spec), setOf(spec)];
    // The other set renders in another order, and has rendered more before.
    const coordinates = Array.from({ length: 20 }, (_, k) => [k * 4999, 7 ** (k % 18), k % 5] as const);
    const before = coordinates.map(([i, r, m]) => one.itemBytes(i, r, m).toString());
    const after = [...coordinates].reverse().map(([i, r, m]) => {
      other.headerAt(99_999 - i);
      return other.itemBytes(i, r, m).toString();
    });
    expect(after.reverse()).toEqual(before);
  });

  test.each(KINDS)('produces other bytes and uids with another seed: %j', (spec) => {
    const [one, other] = [setOf({ ...spec, seed: 1 }), setOf({ ...spec, seed: 2 })];
    for (const index of [0, 1, 640, 99_999]) {
      expect(other.itemBytes(index, 5, 0).equals(one.itemBytes(index, 5, 0))).toBe(false);
      expect(other.uidAt(index)).not.toBe(one.uidAt(index));
    }
  });

  test.each(KINDS)('changes the object with each mutation, but not what selectors read: %j', (spec) => {
    const set = sets.get(spec) as RenderedSet;
    const paths = Object.entries(set.spec.profile.fieldLabels);
    for (const index of [0, 70, 130, 450, 77_777]) {
      const header = set.headerAt(index);
      const seen = new Set<string>();
      for (let mutation = 0; mutation < 12; mutation++) {
        const text = set.itemBytes(index, 5, mutation).toString();
        seen.add(text);
        const object = JSON.parse(text);
        expect(object.metadata.labels ?? {}).toEqual(header.labels);
        for (const [label, { path, unset }] of paths) {
          const value = path.split('.').reduce((inner, field) => inner?.[field], object);
          expect(header.fields[label]).toBe(value === undefined ? unset : String(value));
        }
      }
      expect(seen.size).toBe(12);
    }
  });

  test('is not needed to read single labels and fields', () => {
    const set = setOf({ kind: 'Pod' });
    const header = set.headerAt(4711);
    for (const [label, value] of Object.entries(header.labels)) expect(set.labelAt(4711, label)).toBe(value);
    for (const [label, value] of Object.entries(header.fields)) expect(set.fieldAt(4711, label)).toBe(value);
    expect(set.labelAt(4711, 'absent')).toBeUndefined();
    expect(set.fieldAt(4711, 'absent')).toBeUndefined();
  });

  test('gives the pods of a replica set the same labels, shape and owner', () => {
    const set = setOf({ kind: 'Pod' });
    const pods = Array.from({ length: 10 }, (_, k) => JSON.parse(set.itemBytes(k, 1, 0).toString()));
    expect(new Set(pods.map((pod) => JSON.stringify(pod.metadata.labels))).size).toBe(1);
    expect(new Set(pods.map((pod) => pod.metadata.ownerReferences[0].uid)).size).toBe(1);
    expect(new Set(pods.map((pod) => pod.metadata.name)).size).toBe(10);
    const next = JSON.parse(set.itemBytes(10, 1, 0).toString());
    expect(next.metadata.ownerReferences[0].uid).not.toBe(pods[0].metadata.ownerReferences[0].uid);
  });

  test('produces the same bytes in a shared buffer', () => {
    const set = setOf({ kind: 'Pod' });
    const target = Buffer.alloc(20 * (set.maxItemBytes + 1), '#');
    let end = 3;
    const items: Buffer[] = [];
    for (let index = 0; index < 20; index++) {
      end = set.renderInto(target, end, index, 10 ** index % 2 ** 50, index);
      target[end++] = 0x2c;
      items.push(set.itemBytes(index, 10 ** index % 2 ** 50, index));
    }
    expect(target.toString('utf8', 3, end - 1)).toBe(items.join(','));
    expect(target.toString('latin1', end, end + 3)).toBe('###');
  });

  test('throws instead of truncating when the buffer is too small', () => {
    const set = setOf({ kind: 'Pod' });
    expect(() => set.renderInto(Buffer.alloc(4000), 0, 0, 1, 0)).toThrow(RangeError);
  });
});

describe('uids', () => {
  test('are valid, unique among 100,000 objects, and different in other sets', () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    const seen = new Set<string>();
    for (const spec of [{ kind: 'Pod' }, { kind: 'Node' }, { kind: 'Pod', namePrefix: 'web' }]) {
      const set = setOf(spec);
      for (let index = 0; index < set.count; index++) seen.add(set.uidAt(index));
    }
    expect(seen.size).toBe(300_000);
    for (const uid of [...seen].slice(0, 1000)) expect(uid).toMatch(uuid);
  });
});
