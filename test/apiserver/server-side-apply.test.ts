import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#dist/apiserver/control/kube-object.js';
import { ApplyConflictError } from '#dist/apiserver/objects/apply-conflict.js';
import { type Application, applyObject } from '#dist/apiserver/objects/server-side-apply.js';
import { ownershipOf } from '#dist/apiserver/ownership/ownership-schema.js';
import { typeProblems } from '#dist/apiserver/ownership/type-problems.js';

const EARLY = '2026-11-17T16:00:00Z';
const LATE = '2026-11-17T17:00:00Z';

const widgets = {
  group: 'x.io',
  version: 'v1',
  kind: 'Widget',
  hasStatus: true,
  isCustom: true,
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          text: { type: 'string' },
          count: { type: 'integer' },
          map: { type: 'object', additionalProperties: { type: 'string' } },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          whole: { type: 'array', items: { type: 'string' } },
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          keyed: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name', 'proto'],
            items: {
              type: 'object',
              properties: {
                name: { type: 'string' },
                proto: { type: 'string', default: 'TCP' },
                value: { type: 'string' },
              },
            },
          },
        },
      },
    },
  },
};

type Spec = Readonly<Record<string, unknown>>;

function widget(spec?: Spec): KubeObject {
  return {
    apiVersion: 'x.io/v1',
    kind: 'Widget',
    metadata: { name: 'w' },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** What is stored after the apply. */
function apply(live: KubeObject | undefined, spec?: Spec, more: Partial<Application> = {}): KubeObject {
  const { object, managedFields } = applyObject({
    resource: widgets,
    live,
    applied: widget(spec),
    manager: 'me',
    isForced: false,
    time: EARLY,
    subresource: undefined,
    ...more,
  });
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

function entryOf(object: KubeObject, manager: string): unknown {
  const entries = (object.metadata?.['managedFields'] ?? []) as { manager: string }[];
  return entries.find((entry) => entry.manager === manager);
}

function unlessConflict<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof ApplyConflictError) return undefined;
    throw error;
  }
}

const asOther = { manager: 'other', time: LATE };

describe('server-side apply', () => {
  it('merges the applied and the live order of items', () => {
    const order = (live: string, applied: string): unknown =>
      apply(apply(undefined, { set: [...live] }), { set: [...applied] }, asOther)['spec'];
    expect(order('ab', 'ba')).toEqual({ set: ['b', 'a'] });
    expect(order('abcd', 'dcx')).toEqual({ set: ['a', 'b', 'd', 'c', 'x'] });
    expect(order('ac', 'abc')).toEqual({ set: ['a', 'b', 'c'] });
    expect(order('xay', 'ab')).toEqual({ set: ['x', 'a', 'y', 'b'] });
    expect(order('', 'ab')).toEqual({ set: ['a', 'b'] });
  });

  it('merges items by their keys, with the default of one that is missing', () => {
    const live = apply(undefined, { keyed: [{ name: 'a', proto: 'TCP', value: '1' }] });
    const merged = apply(live, { keyed: [{ name: 'a' }, { name: 'a', proto: 'UDP' }] }, asOther);
    expect(merged['spec']).toEqual({
      keyed: [
        { name: 'a', proto: 'TCP', value: '1' },
        { name: 'a', proto: 'UDP' },
      ],
    });
  });

  it('removes fields that are no longer applied, with their empty parents', () => {
    const live = apply(undefined, { free: { a: { b: { c: 1 } } }, map: { x: '1' } });
    expect(apply(live, { text: 't' })['spec']).toEqual({ text: 't' });
    expect(apply(live)['spec']).toBeUndefined();
  });

  it('keeps fields that other managers own', () => {
    const live = apply(apply(undefined, { free: { a: { b: 1, c: 2 } } }), { free: { a: { d: 3 } } }, asOther);
    expect(apply(live, { text: 't' })['spec']).toEqual({ text: 't', free: { a: { d: 3 } } });
  });

  it('leaves an emptied map as null', () => {
    const live = apply(undefined, { map: { x: '1' } });
    expect(apply(live, { map: {} })['spec']).toEqual({ map: null });
  });

  it('reports every conflict by manager and path', () => {
    const live = apply(undefined, { text: '1', keyed: [{ name: 'a', value: '1' }] });
    const attempt = (): unknown => apply(live, { text: '2', keyed: [{ name: 'a', value: '2' }] }, asOther);
    expect(attempt).toThrow(ApplyConflictError);
    expect(attempt).toThrow(
      'Apply failed with 2 conflicts: conflicts with "me":\n- .spec.text\n- .spec.keyed[name="a",proto="TCP"].value',
    );
  });

  it('updates the time only if it changed something', () => {
    const live = apply(undefined, { text: '1' });
    const times = (object: KubeObject): unknown[] =>
      ((object.metadata?.['managedFields'] ?? []) as { time?: string }[]).map(({ time }) => time);
    expect(times(apply(live, { text: '1' }, { time: LATE }))).toEqual([EARLY]);
    expect(times(apply(live, { text: '2' }, { time: LATE }))).toEqual([LATE]);
    expect(times(apply(live, { text: '1' }, asOther))).toEqual([undefined, EARLY]);
  });
});

const texts = fc.constantFrom('1', '2');
const names = fc.constantFrom('a', 'b', 'c', 'd');
const specs = fc.record(
  {
    text: texts,
    count: fc.nat(2),
    map: fc.dictionary(names, texts),
    free: fc.dictionary(names, fc.oneof(texts, fc.dictionary(names, texts))),
    whole: fc.array(names, { maxLength: 3 }),
    set: fc.uniqueArray(names),
    keyed: fc.uniqueArray(fc.record({ name: names, value: texts }, { requiredKeys: ['name'] }), {
      selector: ({ name }) => name,
    }),
  },
  { requiredKeys: [] },
);

describe('server-side apply of random objects', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(specs, specs, (first, second) => {
        const live = apply(apply(undefined, first), second, { ...asOther, isForced: true });
        const again = apply(live, second, { ...asOther, isForced: true, time: '2027-01-01T00:00:00Z' });
        expect(again).toEqual(live);
      }),
    );
  });

  it('sets everything that was applied last', () => {
    fc.assert(
      fc.property(specs, specs, (first, second) => {
        const merged = apply(apply(undefined, first), second, { ...asOther, isForced: true });
        const { set = [], keyed: _keyed, map = {}, free: _free, whole, ...scalars } = second;
        expect(merged['spec'] ?? {}).toMatchObject({ ...scalars, ...(whole === undefined ? {} : { whole }) });
        const spec = (merged['spec'] ?? {}) as { set?: string[]; map?: Record<string, string> };
        expect((spec.set ?? []).filter((item) => new Set<string>(set).has(item))).toEqual(set);
        expect(spec.map ?? {}).toMatchObject(map);
      }),
    );
  });

  it('without force, is rejected or leaves the fields of other managers', () => {
    fc.assert(
      fc.property(specs, specs, (first, second) => {
        const live = apply(undefined, first);
        const merged = unlessConflict(() => apply(live, second, asOther));
        if (merged !== undefined) expect(entryOf(merged, 'me')).toEqual(entryOf(live, 'me'));
      }),
    );
  });

  it('leaves nothing once every manager has applied nothing', () => {
    fc.assert(
      fc.property(specs, specs, (first, second) => {
        const live = apply(apply(undefined, first), second, { ...asOther, isForced: true });
        const left = apply(apply(live), undefined, asOther);
        expect(left.metadata?.['managedFields']).toBeUndefined();
        // An empty list has no items that somebody could own.
        const spec = Object.entries(left['spec'] ?? {}).filter(([, value]) => JSON.stringify(value) !== '[]');
        expect(spec).toEqual([]);
      }),
    );
  });
});

describe('the type check of applied objects', () => {
  const problems = (spec: Spec): readonly string[] => typeProblems(widget(spec), ownershipOf(widgets));

  it.each([
    [{ text: null, count: null, map: null, set: null }, []],
    [{ free: { any: [{ thing: 1 }], other: null } }, []],
    [{ nope: 1 }, ['.spec.nope: field not declared in schema']],
    [{ text: 1 }, ['.spec.text: expected string, got &value.valueUnstructured{Value:1}']],
    [
      { text: { b: 'c', a: [1, 'x', null] } },
      [
        '.spec.text: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}{1, "x", interface {}(nil)}, "b":"c"}}',
      ],
    ],
    [{ count: '1' }, ['.spec.count: expected numeric (int or float), got string']],
    [{ count: [1] }, ['.spec.count: expected numeric (int or float), got []interface {}']],
    [{ map: ['x', 1] }, ['.spec.map: expected map, got &{[x 1]}']],
    [{ whole: { b: 1, a: 'x' } }, ['.spec.whole: expected list, got &{map[a:x b:1]}']],
    [{ whole: ['x', 2] }, ['.spec.whole[1]: expected string, got &value.valueUnstructured{Value:2}']],
    [{ set: ['x', 'x'] }, ['.spec.set: duplicate entries for key [="x"]']],
    [
      { set: ['x', null, 3] },
      [".spec.set: element 1: associative list without keys has an element that's an explicit null"],
    ],
    [
      { keyed: [{ name: 'a' }, { name: 'a', proto: 'TCP' }] },
      ['.spec.keyed: duplicate entries for key [name="a",proto="TCP"]'],
    ],
    [
      { keyed: [{ name: 'a', value: 1 }] },
      ['.spec.keyed[name="a",proto="TCP"].value: expected string, got &value.valueUnstructured{Value:1}'],
    ],
    [{ keyed: ['x'] }, ['.spec.keyed: element 0: associative list with keys may not have non-map elements']],
  ])('reports the problems of %j', (spec, expected) => {
    expect(problems(spec)).toEqual(expected);
  });
});
