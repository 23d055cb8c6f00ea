import fc from 'fast-check';
import { unpack } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { generateObject } from '#dist/apiserver/generators/generate-object.js';
import { MAX_DEFINITIONS } from '#dist/src/wire/definitions.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ObjectReader } from '#dist/src/wire/object-reader.js';
import { expectEqualJson } from '../support/objects/equal-json.js';
import { HOSTILE_OBJECTS } from '../support/objects/hostile-objects.js';

const RUNS = Number(process.env['RUNS'] ?? 1000);

/** A packer and what is read back with its table, of which the reader learns as late as possible. */
class Pair {
  readonly packer = new ObjectPacker();
  readonly reader = new ObjectReader(this.packer.tableId);

  roundTrip(value: unknown): unknown {
    return this.read(this.pack(value));
  }

  pack(value: unknown): Buffer {
    return Buffer.from(this.packer.pack(value));
  }

  readMetadata(bytes: Buffer, names: readonly string[]): Readonly<Record<string, unknown>> | undefined {
    this.read(bytes);
    return this.reader.readFieldsOf(bytes, 0, bytes.length, 'metadata', names);
  }

  read(bytes: Buffer): unknown {
    this.reader.extend(this.reader.size, this.packer.definitions.slice(this.reader.size));
    return this.reader.read(bytes, 0, bytes.length);
  }
}

const anyString = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 80 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toJSON',
    'hasOwnProperty',
    '',
    '0',
    '17',
    'a',
    'metadata',
    'labels',
    'data',
  ),
  fc.string({ minLength: 60, maxLength: 300 }),
);

/** As JSON.parse gives them: `__proto__` is an own key. */
function objectOf(entries: readonly (readonly [string, unknown])[]): unknown {
  const object = {};
  for (const [key, value] of entries) {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return object;
}

const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 6, depthSize: 'small' },
    fc.oneof(
      anyString,
      fc.integer(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constantFrom(null, -0, 0, 1e308, 2 ** 53, 2 ** 32, -(2 ** 31)),
    ),
    fc.array(tie('json'), { maxLength: 20 }),
    fc.array(fc.tuple(anyString, tie('json')), { maxLength: 20 }).map(objectOf),
  ),
}));

const fieldName = fc.constantFrom(
  'name',
  'image',
  'ports',
  'env',
  'spec',
  'status',
  'conditions',
  'labels',
  'data',
  'a',
  'b',
  'c',
);

const { shaped } = fc.letrec<{ shaped: unknown }>((tie) => ({
  shaped: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(
      'Always',
      'ClusterFirst',
      'registry.example.org/shop/checkout:v1.2.3',
      'true',
      7,
      true,
      null,
    ),
    fc.array(tie('shaped'), { maxLength: 4 }),
    fc.dictionary(fieldName, tie('shaped'), { maxKeys: 8 }).map((object) => ({ ...object })),
  ),
}));

describe('ObjectPacker and ObjectReader', () => {
  it('return any JSON value equal, with its keys in order', () => {
    const pair = new Pair();
    fc.assert(
      fc.property(json, (value) => expectEqualJson(pair.roundTrip(value), value)),
      { numRuns: RUNS },
    );
  });

  it('return objects of many shapes and few strings equal while the tables grow', () => {
    fc.assert(
      fc.property(fc.array(shaped, { maxLength: 30 }), (values) => {
        const pair = new Pair();
        const packed = values.map((value) => pair.pack(value));
        for (const [i, bytes] of packed.entries()) expectEqualJson(pair.read(bytes), values[i]);
        for (const value of values) expectEqualJson(pair.roundTrip(value), value);
      }),
      { numRuns: RUNS / 5 },
    );
  });

  it('return generated objects of every kind equal', () => {
    for (const kind of ['Pod', 'Deployment', 'ConfigMap', 'Secret', 'Node', 'Service', 'Event']) {
      const pair = new Pair();
      for (let i = 0; i < 40; i++) {
        const object = generateObject(kind, i);
        expectEqualJson(pair.roundTrip(object), object);
      }
    }
  });

  it('return some fields of the metadata of any object as they are in the whole', () => {
    const names = ['generation', 'labels', 'annotations', 'finalizers', 'name'];
    const expectFields = (pair: Pair, object: unknown): void => {
      const { metadata } = object as { readonly metadata?: unknown };
      const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
      const expected = Object.entries(isObject ? metadata : {}).filter(([name]) => names.includes(name));
      const fields = pair.readMetadata(pair.pack(object), names);
      expectEqualJson(fields ?? {}, Object.fromEntries(expected));
    };
    for (const kind of ['Pod', 'Deployment', 'ConfigMap', 'Secret', 'Node', 'Service', 'Event']) {
      const pair = new Pair();
      for (let i = 0; i < 40; i++) expectFields(pair, generateObject(kind, i));
    }
    const metadata = fc.dictionary(fc.constantFrom(...names, 'uid', 'other'), json);
    fc.assert(
      fc.property(json, fc.oneof(metadata, json), json, (before, value, after) =>
        expectFields(new Pair(), { before, metadata: value, after }),
      ),
      { numRuns: RUNS },
    );
  });

  it('are tested with at least forty hostile objects', () => {
    expect(HOSTILE_OBJECTS.length).toBeGreaterThanOrEqual(40);
    expect(new Set(HOSTILE_OBJECTS.map(({ name }) => name)).size).toBe(HOSTILE_OBJECTS.length);
  });

  const shared = new Pair();
  for (const { name, json: text } of HOSTILE_OBJECTS) {
    it(`return a hostile object equal, alone and among others: ${name}`, () => {
      const value: unknown = JSON.parse(text);
      expectEqualJson(new Pair().roundTrip(value), value);
      const times = text.length < 100_000 ? 6 : 1;
      for (let i = 0; i < times; i++) expectEqualJson(shared.roundTrip(value), value);
    });
  }

  it('let no key pollute a prototype', () => {
    new Pair().roundTrip(
      JSON.parse('{"data":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}'),
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('use plain msgpack for objects without records and frequent strings', () => {
    const value = {
      'a-map': { 'b-c': [1, -1, 1.5, 2 ** 40, 300, 70_000, null, true, false, 'x'.repeat(300), 'é'] },
    };
    expect(unpack(new Pair().pack(value))).toEqual(value);
  });

  it('treat values that JSON does not have as JSON.stringify does', () => {
    const value = {
      at: new Date(0),
      gone: undefined,
      list: [undefined, 1],
      map: new Map([[1, 2]]),
      nested: { gone: undefined, a: 1 },
    };
    expectEqualJson(new Pair().roundTrip(value), JSON.parse(JSON.stringify(value)));
    expect(() => new Pair().pack({ a: 1n })).toThrow(TypeError);
  });

  it('continue after an object that cannot be packed', () => {
    const pair = new Pair();
    expect(() => pair.pack({ spec: { a: 1, b: 1n } })).toThrow();
    expectEqualJson(pair.roundTrip({ spec: { a: 1, b: 2 } }), { spec: { a: 1, b: 2 } });
  });
});

describe('ObjectPacker and ObjectReader, definitions', () => {
  it('need less than a quarter of the JSON of a pod once strings are defined', () => {
    const pair = new Pair();
    let jsonBytes = 0;
    let packedBytes = 0;
    for (let i = 0; i < 200; i++) {
      const pod = generateObject('Pod', i);
      const { managedFields: _, ...metadata } = pod.metadata;
      const bytes = pair.pack({ ...pod, metadata });
      if (i < 100) continue;
      jsonBytes += JSON.stringify({ ...pod, metadata }).length;
      packedBytes += bytes.length;
    }
    expect(packedBytes / jsonBytes).toBeLessThan(0.25);
  });

  it('never define the keys of maps, and keep the table bounded', () => {
    const { packer } = new Pair();
    packer.pack({ metadata: { labels: { app: 'a' }, annotations: { note: 'b' } }, data: { key: 'v' } });
    const shapes = packer.definitions.filter((definition) => Array.isArray(definition));
    expect(shapes).toEqual([
      ['metadata', 'data'],
      ['labels', 'annotations'],
    ]);
    for (let i = 0; i < 20_000; i++) {
      packer.pack({
        free: { [`field${i % 9_000}`]: 1 },
        repeated: `a string that is worth a definition ${i % 10_000}`,
      });
    }
    expect(packer.definitions.length).toBeLessThanOrEqual(MAX_DEFINITIONS);
    expect(packer.definitions.filter((definition) => Array.isArray(definition)).length).toBeLessThanOrEqual(
      512,
    );
  });

  it('read more than 32, 64 and 500 shapes, with a second reader too', () => {
    const pair = new Pair();
    const objects = Array.from({ length: 700 }, (_, i) => ({ [`a${i}`]: i, [`b${i}`]: { [`c${i}`]: [i] } }));
    const twice = [...objects, ...objects];
    const packed = twice.map((object) => pair.pack(object));
    for (const [i, bytes] of packed.entries()) expectEqualJson(pair.read(bytes), twice[i]);
    const second = new ObjectReader(pair.packer.tableId);
    second.extend(0, structuredClone(pair.packer.definitions));
    for (const [i, bytes] of packed.entries()) expectEqualJson(second.read(bytes, 0, bytes.length), twice[i]);
  });

  it('give every packer a table of its own', () => {
    expect(new Set(Array.from({ length: 100 }, () => new ObjectPacker().tableId)).size).toBe(100);
  });

  it('add definitions in order, skip known ones, and reject a gap', () => {
    const reader = new ObjectReader('t');
    reader.extend(0, [['a'], 'text']);
    reader.extend(0, [['a'], 'text', ['b']]);
    expect(reader.size).toBe(3);
    expect(() => reader.extend(4, ['x'])).toThrow(
      expect.objectContaining({ code: 'KUBEFLECT_BATCH_INVALID' }),
    );
  });
});

describe('ObjectReader, damaged payloads', () => {
  it('reads a payload that is cut or changed anywhere, or rejects it with a typed error, and never hangs', () => {
    const pair = new Pair();
    const value = { spec: { a: 'x'.repeat(40), 'b-c': [1, 2.5, -3, 'é', '\ud800', null], d: { e: 70_000 } } };
    const bytes = pair.pack(value);
    expectEqualJson(pair.read(bytes), value);
    const attempt = (damaged: Buffer, read = (payload: Buffer): unknown => pair.read(payload)): void => {
      try {
        read(damaged);
      } catch (error) {
        expect(error).toMatchObject({ code: 'KUBEFLECT_BATCH_INVALID' });
      }
    };
    for (let end = 0; end < bytes.length; end++) attempt(bytes.subarray(0, end));
    for (let at = 0; at < bytes.length; at++) {
      for (let byte = 0; byte < 256; byte++) {
        const damaged = Buffer.from(bytes);
        damaged[at] = byte;
        attempt(damaged);
        attempt(damaged, (payload) => pair.reader.readFieldsOf(payload, 0, payload.length, 'spec', ['d']));
      }
    }
  });

  it('rejects a payload that is nested deeper than the stack', () => {
    const reader = new ObjectReader('t');
    const bytes = Buffer.alloc(1024 * 1024, 0x91);
    expect(() => reader.read(bytes, 0, bytes.length)).toThrow(
      expect.objectContaining({ code: 'KUBEFLECT_BATCH_INVALID' }),
    );
    expect(reader.read(Buffer.from([0x91, 0x07]), 0, 2)).toEqual([7]);
  });
});
