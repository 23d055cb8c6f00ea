/** How objects are packed and read: ours, and msgpackr in the ways that were considered. */
import { deepStrictEqual } from 'node:assert';
import { Packr, Unpackr } from 'msgpackr';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ObjectReader } from '#dist/src/wire/object-reader.js';
import { median, spread } from '../statistics.mjs';

const MAPS = new Set(['labels', 'annotations', 'limits', 'requests', 'nodeSelector', 'matchLabels']);

/** Each makes a packer and, once everything is packed, a reader that has only the table. */
const CODECS = {
  'JSON text': () => ({
    pack: (object) => Buffer.from(JSON.stringify(object)),
    reader: () => (bytes) => JSON.parse(bytes.toString()),
  }),
  'msgpackr, plain': () => msgpackr({ useRecords: false }),
  'msgpackr, 32 shared structures': () => msgpackr({ maxSharedStructures: 32 }),
  'msgpackr, 32 shared, maps by name': () => msgpackr({ maxSharedStructures: 32 }, true),
  'msgpackr, 32 shared, bundled strings': () => msgpackr({ maxSharedStructures: 32, bundleStrings: true }),
  'msgpackr, 256 shared structures': () => msgpackr({ maxSharedStructures: 256 }),
  kubeflect: () => {
    const packer = new ObjectPacker();
    return {
      pack: (object) => packer.pack(object),
      reader() {
        const reader = new ObjectReader(packer.tableId);
        reader.extend(0, structuredClone(packer.definitions));
        return (bytes) => reader.read(bytes, 0, bytes.length);
      },
    };
  },
};

function msgpackr(options, areMapsByName = false) {
  const structures = [];
  const maps = new WeakSet();
  if (areMapsByName) options.useRecords = (object) => !maps.has(object);
  const shared = options.useRecords === false ? {} : { structures };
  const packr = new Packr({ ...options, ...shared, useToJSON: false, variableMapSize: true });
  const mark = (node) => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (MAPS.has(key) && typeof value === 'object') maps.add(value);
      else mark(value);
    }
  };
  return {
    prepare: areMapsByName ? mark : undefined,
    pack: (object) => packr.pack(object),
    reader() {
      // What `_mergeStructures` does to a table that another thread sent.
      const table = structures.map((keys, i) =>
        Object.assign([...keys], { isShared: true }, i < 32 ? {} : { highByte: (i - 32) >> 5 }),
      );
      const unpackr = new Unpackr({
        ...options,
        ...(options.useRecords === false ? {} : { structures: table }),
        mapsAsObjects: true,
      });
      return (bytes) => unpackr.unpack(bytes);
    },
  };
}

export const options = {
  objects: { type: 'string', default: '5000' },
  kind: { type: 'string', default: 'Pod' },
};

export async function run(values) {
  const count = Number(values.objects);
  const set = new RenderedSet(resolvePopulateSpec({ kind: values.kind, seed: 1, count }), 1);
  const texts = Array.from({ length: count }, (_, i) => {
    const object = JSON.parse(set.objectBytes(i, i + 1, 0).toString());
    delete object.metadata.managedFields;
    return JSON.stringify(object);
  });
  const jsonBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / count;
  const results = new Map(Object.keys(CODECS).map((name) => [name, []]));
  for (let round = -Number(values['warm-up']); round < Number(values.rounds); round++) {
    for (const [name, make] of Object.entries(CODECS)) {
      const result = measure(make(), texts);
      if (round >= 0) results.get(name).push(result);
    }
  }
  return reportOf(results, jsonBytes, values.kind);
}

function reportOf(results, jsonBytes, kind) {
  const of = (list, field) => list.map((result) => result[field]);
  const bars = (title, field) => ({
    kind: 'bar',
    title,
    y: 'µs an object',
    points: [...results].map(([name, list]) => [name, median(of(list, field))]),
  });
  return {
    tables: [
      {
        title: `${kind} objects of ${Math.round(jsonBytes)} bytes of JSON, without managedFields`,
        columns: [
          { name: '' },
          { name: 'bytes' },
          { name: 'of JSON', digits: 2 },
          { name: 'pack', unit: 'µs', digits: 1 },
          { name: 'read', unit: 'µs', digits: 1 },
        ],
        rows: [...results].map(([name, list]) => [
          name,
          median(of(list, 'bytes')),
          median(of(list, 'bytes')) / jsonBytes,
          spread(of(list, 'packMicros')),
          spread(of(list, 'readMicros')),
        ]),
      },
    ],
    plots: [bars('Packing an object', 'packMicros'), bars('Reading an object', 'readMicros')],
    notes: ['one object in 97 was compared with what JSON.parse makes of it, in every round'],
    results: Object.fromEntries(results),
  };
}

/** Everything once, in the order of a list, from objects that were just parsed: as a worker does it. */
function measure({ prepare, pack, reader }, texts) {
  const packed = [];
  let packMs = 0;
  for (const text of texts) {
    const object = JSON.parse(text);
    prepare?.(object);
    const start = performance.now();
    const bytes = pack(object);
    packMs += performance.now() - start;
    packed.push(Buffer.from(bytes));
  }
  const read = reader();
  for (let i = 0; i < texts.length; i += 97) deepStrictEqual(read(packed[i]), JSON.parse(texts[i]));
  const start = performance.now();
  for (const bytes of packed) read(bytes);
  const micros = (ms) => (ms * 1000) / texts.length;
  return {
    bytes: packed.reduce((sum, { length }) => sum + length, 0) / texts.length,
    packMicros: micros(packMs),
    readMicros: micros(performance.now() - start),
  };
}
