import { describe, expect, it } from 'vitest';
import { LongInteger, parseJson } from '#dist/apiserver/json.js';
import { pruneAndDefault, validateSchema } from '#dist/apiserver/objects/custom-schema.js';

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['must'],
      properties: {
        must: { type: 'string', default: 'given' },
        s: { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z]+$' },
        e: { type: 'string', enum: ['x', 'y'] },
        i: { type: 'integer', minimum: 0, maximum: 10 },
        xi: { type: 'integer', minimum: 0, exclusiveMinimum: true },
        i32: { type: 'integer', format: 'int32' },
        n: { type: 'number', multipleOf: 0.5 },
        nul: { type: 'string', nullable: true, default: 'd' },
        l: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string' } },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        keyed: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, v: { type: 'integer', default: 7 } },
          },
        },
        m: { type: 'object', additionalProperties: { type: 'integer' } },
        o: {
          type: 'object',
          properties: {
            a: { type: 'string', default: 'aa' },
            b: { type: 'object', default: {}, properties: { c: { type: 'integer', default: 3 } } },
          },
        },
        any: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { z: { type: 'string' } } } },
        },
        ios: { 'x-kubernetes-int-or-string': true },
        pod: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        of: {
          type: 'object',
          properties: { p: {}, q: {} },
          oneOf: [{ required: ['p'] }, { required: ['q'] }],
        },
        an: { type: 'integer', anyOf: [{ minimum: 5 }, { maximum: 2 }] },
        nt: { type: 'integer', not: { enum: [5] } },
        dt: { type: 'string', format: 'date-time' },
      },
    },
  },
};

function formed(spec: unknown): ReturnType<typeof pruneAndDefault> {
  return pruneAndDefault(schema, { apiVersion: 'x.io/v1', kind: 'Thing', metadata: { name: 'x' }, spec });
}

function validationCauses(spec: unknown): string[] {
  const causes = validateSchema(schema, { metadata: { name: 'x' }, spec });
  return causes.map(
    ({ field, reason, message }) => `${field} ${reason?.replace('FieldValue', '')}: ${message}`,
  );
}

// All outcomes were seen on kube-apiserver 1.36.3.
describe('pruning and defaulting', () => {
  it.each([
    [{}, { must: 'given', nul: 'd' }, []],
    [{ unknown: 1, nested: { a: 1 } }, { must: 'given', nul: 'd' }, ['spec.nested', 'spec.unknown']],
    [{ o: {} }, { must: 'given', nul: 'd', o: { a: 'aa', b: { c: 3 } } }, []],
    [
      { o: { zz: 1, b: { q: 1 } } },
      { must: 'given', nul: 'd', o: { a: 'aa', b: { c: 3 } } },
      ['spec.o.b.q', 'spec.o.zz'],
    ],
    [
      { keyed: [{ name: 'a', zz: 1 }] },
      { must: 'given', nul: 'd', keyed: [{ name: 'a', v: 7 }] },
      ['spec.keyed[0].zz'],
    ],
    [
      { any: { x: { y: 1 }, known: { z: '1', w: 2 } } },
      { must: 'given', nul: 'd', any: { x: { y: 1 }, known: { z: '1' } } },
      ['spec.any.known.w'],
    ],
    [{ must: null, nul: null, s: null }, { must: 'given', nul: null }, []],
    [{ m: { a: null, b: 1 } }, { must: 'given', nul: 'd', m: { b: 1 } }, []],
    [
      { pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', foo: 1 }, spec: { a: 1 } } },
      {
        must: 'given',
        nul: 'd',
        pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { a: 1 } },
      },
      ['spec.pod.metadata.foo'],
    ],
    ['x', 'x', []],
  ] as [unknown, unknown, string[]][])(
    'turns the spec %j into its stored form',
    (spec, expected, unknownFields) => {
      const { object, unknownFields: dropped } = formed(spec);
      expect(object['spec']).toEqual(expected);
      expect(dropped).toEqual(unknownFields);
    },
  );

  it('treats metadata as ObjectMeta', () => {
    const object = {
      metadata: { name: 'x', foo: 1, labels: { a: null } } as Record<string, unknown>,
      top: 1,
    };
    expect(pruneAndDefault(schema, object)).toEqual({
      object: { metadata: { name: 'x', labels: { a: '' } } },
      unknownFields: ['metadata.foo', 'top'],
    });
    const bad = { metadata: { labels: { a: 1 } as unknown as Record<string, string> } };
    expect(() => pruneAndDefault(schema, bad)).toThrow(
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
    expect(() => formed({ pod: { metadata: { name: 5 } } })).toThrow(
      'spec.pod.metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    );
  });

  it('keeps every field without a schema, also __proto__ and long integers', () => {
    const object = parseJson('{"metadata":{"name":"x"},"spec":{"__proto__":1,"n":9007199254740993}}');
    const kept = pruneAndDefault(undefined, object as Record<string, unknown>);
    expect(kept).toEqual({ object, unknownFields: [] });
    expect(Object.keys(kept.object['spec'] as object)).toEqual(['__proto__', 'n']);
  });
});

describe('schema validation', () => {
  it.each([
    [{ must: 'a' }, []],
    [{}, ['spec.must Required: Required value']],
    [
      { must: 5 },
      [
        'spec.must TypeInvalid: Invalid value: "integer": spec.must in body must be of type string: "integer"',
      ],
    ],
    [
      { must: 'a', s: 'A' },
      ['spec.s Invalid: Invalid value: "A": spec.s in body should be at least 2 chars long'],
    ],
    [{ must: 'a', s: 'abcdef' }, ['spec.s TooLong: Too long: may not be more than 4 bytes']],
    [
      { must: 'a', s: 'AB' },
      ['spec.s Invalid: Invalid value: "AB": spec.s in body should match \'^[a-z]+$\''],
    ],
    [{ must: 'a', e: 'z' }, ['spec.e NotSupported: Unsupported value: "z": supported values: "x", "y"']],
    [
      { must: 'a', i: -1 },
      ['spec.i Invalid: Invalid value: -1: spec.i in body should be greater than or equal to 0'],
    ],
    [
      { must: 'a', i: 11 },
      ['spec.i Invalid: Invalid value: 11: spec.i in body should be less than or equal to 10'],
    ],
    [
      { must: 'a', i: 1.5 },
      [
        'spec.i TypeInvalid: Invalid value: "number": spec.i in body must be of type integer: "number"',
        '<nil> Invalid: Invalid value: "": Checked value must be of type integer (default format) in spec.i',
      ],
    ],
    [{ must: 'a', xi: 0 }, ['spec.xi Invalid: Invalid value: 0: spec.xi in body should be greater than 0']],
    [
      { must: 'a', i32: 3_000_000_000 },
      [
        '<nil> Invalid: Invalid value: "": Checked value must be of type integer with format int32 in spec.i32',
      ],
    ],
    [
      { must: 'a', n: 0.3 },
      ['spec.n Invalid: Invalid value: 0.3: spec.n in body should be a multiple of 0.5'],
    ],
    [{ must: 'a', nul: null }, []],
    [{ must: 'a', l: [] }, ['spec.l Invalid: Invalid value: 0: spec.l in body should have at least 1 items']],
    [{ must: 'a', l: ['a', 'b', 'c'] }, ['spec.l TooMany: Too many: 3: must have at most 2 items']],
    [
      { must: 'a', l: [null] },
      ['spec.l[0] TypeInvalid: Invalid value: "null": spec.l[0] in body must be of type string: "null"'],
    ],
    [{ must: 'a', set: ['a', 'a'] }, ['spec.set[1] Duplicate: Duplicate value: "a"']],
    [
      { must: 'a', keyed: [{ name: 'a' }, { name: 'a', v: 1 }] },
      ['spec.keyed[1] Duplicate: Duplicate value: {"name":"a"}'],
    ],
    [
      { must: 'a', m: { x: 'y' } },
      ['spec.m.x TypeInvalid: Invalid value: "string": spec.m.x in body must be of type integer: "string"'],
    ],
    [{ must: 'a', ios: '5' }, []],
    [
      { must: 'a', ios: true },
      [
        'spec.ios TypeInvalid: Invalid value: "boolean": spec.ios in body must be of type integer,string: "boolean"',
      ],
    ],
    [
      { must: 'a', pod: {} },
      ['spec.pod.apiVersion Required: Required value', 'spec.pod.kind Required: Required value'],
    ],
    [
      { must: 'a', of: {} },
      [
        '<nil> Invalid: Invalid value: "": "spec.of" must validate one and only one schema (oneOf). Found none valid',
        'spec.of.p Required: Required value',
      ],
    ],
    [
      { must: 'a', of: { p: 1, q: 2 } },
      [
        '<nil> Invalid: Invalid value: "": "spec.of" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      { must: 'a', an: 3 },
      [
        '<nil> Invalid: Invalid value: "": "spec.an" must validate at least one schema (anyOf)',
        'spec.an Invalid: Invalid value: 3: spec.an in body should be greater than or equal to 5',
      ],
    ],
    [
      { must: 'a', nt: 5 },
      ['<nil> Invalid: Invalid value: "": "spec.nt" must not validate the schema (not)'],
    ],
    [
      { must: 'a', dt: 'x' },
      ['spec.dt TypeInvalid: Invalid value: "x": spec.dt in body must be of type date-time: "x"'],
    ],
    [[], ['spec TypeInvalid: Invalid value: "array": spec in body must be of type object: "array"']],
  ] as [unknown, string[]][])('reports the problems of %j', (spec, expected) => {
    expect(validationCauses(spec)).toEqual(expected);
  });

  it('accepts long integers as integers', () => {
    const long = { type: 'object', properties: { n: { type: 'integer', format: 'int64', minimum: 0 } } };
    expect(validateSchema(long, { n: new LongInteger('9007199254740993') })).toEqual([]);
  });

  it('reports when CEL rules were not evaluated', () => {
    const ruled = { ...schema, 'x-kubernetes-validations': [{ rule: 'true' }] };
    expect(validateSchema(ruled, { spec: { must: 5 } }).at(-1)).toEqual({
      reason: 'FieldValueInvalid',
      message:
        'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      field: '<nil>',
    });
    expect(validateSchema(ruled, { spec: { must: 'a', i: -1 } })).toHaveLength(1);
  });

  it.each(['[a-z\\-]+', '(?i)ABC.*', '\\p{L}+', '(?P<name>x)'])('accepts the pattern %s', (pattern) => {
    const patterned = { type: 'object', properties: { s: { type: 'string', pattern } } };
    expect(validateSchema(patterned, { s: 'abc' })).toEqual([]);
  });
});
