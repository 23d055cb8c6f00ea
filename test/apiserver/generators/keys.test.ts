import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PopulateSpec } from '#dist/apiserver/control/populate-spec.js';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';

function setOf(spec: PopulateSpec): RenderedSet {
  return new RenderedSet(resolvePopulateSpec(spec), 1);
}

/** Every index of a small set; of a large one the ends, and a step that meets all residues. */
function sampled(count: number): number[] {
  if (count <= 1000) return Array.from({ length: count }, (_, k) => k);
  const step = Math.floor(count / 997);
  const middle = Array.from({ length: 997 }, (_, k) => k * step);
  return [...new Set([...middle, ...[1, 2, 9, 10, 11, 99, 100], count - 2, count - 1])].sort((a, b) => a - b);
}

const KINDS: PopulateSpec[] = [
  { kind: 'Pod', count: 0 },
  { kind: 'Event', count: 0 },
  { kind: 'ReplicaSet', count: 0 },
  { kind: 'ConfigMap', count: 0, namespaces: 7, namePrefix: 'a-b' },
  { kind: 'Lease', count: 0 },
  { kind: 'Node', count: 0 },
  { kind: 'Widget', apiVersion: 'example.com/v1', count: 0 },
  { kind: 'Widget', apiVersion: 'example.com/v1', count: 0, namespaces: 0 },
];
const GRID = KINDS.flatMap((spec) => [1, 2, 999, 100_000, 1_234_567].map((count) => ({ ...spec, count })));

describe('keys', () => {
  test.each(GRID)('ascend in byte order and can be converted back to their index: %j', (spec) => {
    const set = setOf(spec);
    const indexes = sampled(spec.count);
    const keys = indexes.map((index) => set.keyAt(index));
    expect(
      keys
        .map((key) => Buffer.from(key))
        .sort(Buffer.compare)
        .map(String),
    ).toEqual(keys);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.map((key) => set.indexOf(key))).toEqual(indexes);
    expect(keys.map((key) => set.lowerBound(key))).toEqual(indexes);
    expect(keys.map((key) => set.lowerBound(`${key}\u0000`) - 1)).toEqual(indexes);
  });

  test.each(KINDS)('ascend between neighbours, too: %j', (spec) => {
    const set = setOf({ ...spec, count: 25_000, ...(spec.namespaces === 7 ? { namespaces: 13 } : {}) });
    const keys = Array.from({ length: set.count }, (_, index) => set.keyAt(index));
    expect(keys.findIndex((key, index) => index > 0 && key <= (keys[index - 1] as string))).toBe(-1);
  });

  test('are valid names', () => {
    const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
    for (const spec of KINDS.filter(({ kind }) => kind !== 'Event')) {
      for (const part of setOf({ ...spec, count: 1000 })
        .keyAt(999)
        .split('/')) {
        expect(part).toMatch(label);
        expect(part.length).toBeLessThan(64);
      }
    }
  });

  test('match the name and namespace of the rendered object', () => {
    for (const spec of KINDS) {
      const set = setOf({ ...spec, count: 500 });
      for (const index of [0, 1, 77, 499]) {
        const { metadata } = JSON.parse(set.itemBytes(index, 1, 0).toString());
        const key =
          metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
        expect(set.keyAt(index)).toBe(key);
        const header = set.headerAt(index);
        expect([header.namespace, header.name, header.uid]).toEqual([
          metadata.namespace ?? '',
          metadata.name,
          metadata.uid,
        ]);
      }
    }
  });

  test('are spread evenly over the namespaces, or over fewer when there are not enough objects', () => {
    const set = setOf({ kind: 'ConfigMap', count: 1003, namespaces: 10 });
    const sizes = new Map<string, number>();
    for (let index = 0; index < set.count; index++) {
      const namespace = set.headerAt(index).namespace;
      sizes.set(namespace, (sizes.get(namespace) ?? 0) + 1);
    }
    expect(sizes.size).toBe(10);
    expect([...new Set(sizes.values())].sort()).toEqual([100, 101]);
    expect(setOf({ kind: 'ConfigMap', count: 3, namespaces: 10 }).keyAt(2)).toBe('ns-00002/config-00000');
  });

  test('of pods, nodes, namespaces and replica sets refer to each other', () => {
    const common = { seed: 9, namespaces: 5 };
    const pods = setOf({ kind: 'Pod', count: 1000, nodes: 40, ...common });
    const nodes = setOf({ kind: 'Node', count: 40, seed: 9 });
    const namespaces = setOf({ kind: 'Namespace', count: 5, seed: 9 });
    const replicaSets = setOf({ kind: 'ReplicaSet', count: 100, ...common });
    const perNode = new Set<number>();
    for (let index = 0; index < pods.count; index += 7) {
      const pod = JSON.parse(pods.itemBytes(index, 1, 0).toString());
      const node = nodes.indexOf(pod.spec.nodeName);
      expect(node).toBeGreaterThanOrEqual(0);
      perNode.add(node);
      expect(namespaces.indexOf(pod.metadata.namespace)).toBeGreaterThanOrEqual(0);
      const owner = pod.metadata.ownerReferences[0].name;
      expect(replicaSets.indexOf(`${pod.metadata.namespace}/${owner}`)).toBeGreaterThanOrEqual(0);
    }
    expect(perNode.size).toBeGreaterThan(30);
  });

  test('of other objects have no index', () => {
    const set = setOf({ kind: 'Pod', count: 1000 });
    const key = set.keyAt(500);
    const strangers = ['', '/', key.slice(0, -1), `${key}x`, `${key.slice(0, -1)}!`, key.replace('/', '-')];
    for (const stranger of strangers) expect(set.indexOf(stranger)).toBe(-1);
    const hash = set.labelAt(500, 'pod-template-hash') as string;
    expect(set.indexOf(key.replace(hash, '222222222'))).toBe(-1);
    expect(setOf({ kind: 'Pod', count: 0 }).indexOf(key)).toBe(-1);
    expect(setOf({ kind: 'Pod', count: 0 }).lowerBound(key)).toBe(0);
  });

  test('have a lower bound that separates smaller from other keys', () => {
    const sets = [
      setOf({ kind: 'Pod', count: 5000, namespaces: 37 }),
      setOf({ kind: 'Node', count: 1234 }),
      setOf({ kind: 'Event', count: 999 }),
    ];
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        'ns-',
        'ns-00012',
        '/',
        '-',
        '.',
        'app-',
        'node-00100',
        '\u0000',
        'é',
        '\u{1f600}',
        '\uffff',
      ),
    );
    const foreign = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.constantFrom(...sets), foreign, fc.nat(), fc.nat({ max: 30 }), (set, tail, at, cut) => {
        const own = set.keyAt(at % set.count);
        for (const key of [tail, own.slice(0, cut) + tail, own + tail]) {
          const bound = set.lowerBound(key);
          const bytes = Buffer.from(key);
          if (bound > 0) expect(Buffer.compare(Buffer.from(set.keyAt(bound - 1)), bytes)).toBe(-1);
          if (bound < set.count) {
            expect(Buffer.compare(Buffer.from(set.keyAt(bound)), bytes)).toBeGreaterThanOrEqual(0);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
