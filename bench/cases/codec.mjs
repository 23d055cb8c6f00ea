/** How objects are packed and read: ours, and msgpackr in the ways that were considered. */
import { deepStrictEqual } from 'node:assert';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Packr, Unpackr } from 'msgpackr';
import { ObjectPacker } from '#dist/src/wire/codec.js';
import { ObjectReader } from '#dist/src/wire/object-reader.js';
import { resolvePopulateSpec } from '#dist/workers/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/workers/apiserver/generators/rendered-set.js';

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

export async function codec(args) {
  const { values } = parseArgs({
    args,
    options: { objects: { type: 'string', default: '5000' }, kind: { type: 'string', default: 'Pod' } },
  });
  const count = Number(values.objects);
  const set = new RenderedSet(resolvePopulateSpec({ kind: values.kind, seed: 1, count }), 1);
  const texts = Array.from({ length: count }, (_, i) => {
    const object = JSON.parse(set.objectBytes(i, i + 1, 0).toString());
    delete object.metadata.managedFields;
    return JSON.stringify(object);
  });
  const jsonBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}`);
  console.log(
    `${count} ${values.kind} objects of ${Math.round(jsonBytes / count)} bytes of JSON without managedFields; medians of 5 rounds\n`,
  );
  console.log('| | bytes | of JSON | pack µs | read µs |\n| --- | --- | --- | --- | --- |');
  for (const [name, make] of Object.entries(CODECS)) {
    const rounds = Array.from({ length: 5 }, () => measure(make(), texts));
    const median = (field) => rounds.map((round) => round[field]).sort((a, b) => a - b)[2];
    const bytes = median('bytes') / count;
    console.log(
      `| ${name} | ${bytes.toFixed(0)} | ${((bytes * count) / jsonBytes).toFixed(2)} | ${((median('packMs') / count) * 1000).toFixed(1)} | ${((median('readMs') / count) * 1000).toFixed(1)} |`,
    );
  }
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
  return {
    bytes: packed.reduce((sum, { length }) => sum + length, 0),
    packMs,
    readMs: performance.now() - start,
  };
}
