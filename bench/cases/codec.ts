/** How objects are packed and read: this project's codec, and msgpackr in the variants that were considered. */
import { deepStrictEqual } from 'node:assert';
import { type Options as MsgpackrOptions, Packr, Unpackr } from 'msgpackr';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ObjectReader } from '#dist/src/wire/object-reader.js';
import { count, string } from '../command-line/options.js';
import {
  MICRO_OPTIONS,
  type MicroResult,
  type MicroTask,
  microPlot,
  microTable,
  runMicro,
} from '../runner/micro.js';
import { type BenchCase, defineCase } from './case.js';

interface Codec {
  /** Untimed. */
  prepare?(object: object): void;
  pack(object: object): Uint8Array;
  /** A reader of what was packed so far, which shares nothing but the definitions with the packer. */
  createReader(): (bytes: Buffer) => unknown;
}

/** Fields whose keys differ from object to object. */
const MAP_FIELDS = new Set(['labels', 'annotations', 'limits', 'requests', 'nodeSelector', 'matchLabels']);
/** One object in so many is compared with what JSON.parse returns. */
const CHECK_EVERY = 97;

const CODECS: Readonly<Record<string, () => Codec>> = {
  JSON: () => ({
    pack: (object) => Buffer.from(JSON.stringify(object)),
    createReader: () => (bytes) => JSON.parse(bytes.toString()),
  }),
  'msgpackr, plain': () => plainMsgpackr(),
  'msgpackr, 32 shared structures': () => msgpackr({ maxSharedStructures: 32 }),
  'msgpackr, 32 shared, maps by name': () => msgpackr({ maxSharedStructures: 32 }, { areMapsExcluded: true }),
  'msgpackr, 32 shared, bundled strings': () => msgpackr({ maxSharedStructures: 32, bundleStrings: true }),
  'msgpackr, 256 shared structures': () => msgpackr({ maxSharedStructures: 256 }),
  kubeflect: () => {
    const packer = new ObjectPacker();
    return {
      pack: (object) => packer.pack(object),
      createReader() {
        const reader = new ObjectReader(packer.tableId);
        reader.extend(0, structuredClone(packer.definitions));
        return (bytes) => reader.read(bytes, 0, bytes.length);
      },
    };
  },
};

function plainMsgpackr(): Codec {
  const options = { useRecords: false };
  const packr = new Packr({ ...options, useToJSON: false, variableMapSize: true });
  const unpackr = new Unpackr({ ...options, mapsAsObjects: true });
  return {
    pack: (object) => packr.pack(object),
    createReader: () => (bytes) => unpackr.unpack(bytes),
  };
}

function msgpackr(options: MsgpackrOptions, { areMapsExcluded } = { areMapsExcluded: false }): Codec {
  const structures: string[][] = [];
  const maps = new WeakSet();
  const all = areMapsExcluded ? { ...options, useRecords: (object: object) => !maps.has(object) } : options;
  const packr = new Packr({ ...all, structures, useToJSON: false, variableMapSize: true });
  const mark = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (MAP_FIELDS.has(key) && typeof value === 'object') maps.add(value);
      else mark(value);
    }
  };
  return {
    ...(areMapsExcluded ? { prepare: mark } : {}),
    pack: (object) => packr.pack(object),
    createReader() {
      // What msgpackr's `_mergeStructures` does to a table that another thread sent.
      const table = structures.map((keys, i) =>
        Object.assign([...keys], { isShared: true }, i < 32 ? {} : { highByte: (i - 32) >> 5 }),
      );
      const unpackr = new Unpackr({ ...all, structures: table, mapsAsObjects: true });
      return (bytes) => unpackr.unpack(bytes);
    },
  };
}

export const codec: BenchCase = defineCase(
  { objects: count(5000), kind: string('Pod'), ...MICRO_OPTIONS },
  async ({ objects, kind, time }) => {
    const documents = documentsOf(kind, objects);
    const codecs = Object.entries(CODECS).map(([name, create]) => ({
      name,
      create,
      packed: checked(create, documents),
    }));
    const pack = await runMicro(
      codecs.map(({ name, create, packed }) => packTask(name, create, documents, bytesOf(packed))),
      time,
    );
    const read = await runMicro(
      codecs.map(({ name, packed }) => readTask(name, packed)),
      time,
    );
    const jsonBytes = documents.reduce((sum, json) => sum + Buffer.byteLength(json), 0) / objects;
    const title = `${kind} objects of ${Math.round(jsonBytes)} bytes of JSON, without managedFields`;
    return {
      tables: [
        {
          title: `Size: ${title}`,
          columns: [{ name: '' }, { name: 'bytes' }, { name: 'relative to JSON', digits: 2 }],
          rows: codecs.map(({ name, packed }) => {
            const bytes = bytesOf(packed) / objects;
            return [name, bytes, bytes / jsonBytes];
          }),
        },
        microTable(`Packing ${title}`, pack),
        microTable(`Reading ${title}`, read),
      ],
      plots: [microPlot('Packing an object', pack), microPlot('Reading an object', read)],
      notes: [`one object in ${CHECK_EVERY} was compared with what JSON.parse returns`],
      results: { pack, read } satisfies Record<string, readonly MicroResult[]>,
    };
  },
);

function documentsOf(kind: string, objects: number): string[] {
  const set = new RenderedSet(resolvePopulateSpec({ kind, seed: 1, count: objects }), 1);
  return Array.from({ length: objects }, (_, i) => {
    const object = parse(set.objectBytes(i, i + 1, 0).toString());
    const { managedFields, ...metadata } = object.metadata;
    return JSON.stringify({ ...object, metadata });
  });
}

interface Parsed {
  readonly metadata: Readonly<Record<string, unknown>>;
}

function parse(json: string): Parsed {
  return JSON.parse(json) as Parsed;
}

interface Packed {
  readonly documents: readonly Buffer[];
  readonly read: (bytes: Buffer) => unknown;
}

/** Everything packed once, in the order of a list, and read back. */
function checked(create: () => Codec, documents: readonly string[]): Packed {
  const packer = create();
  const packed = documents.map((json) => {
    const object = parse(json);
    packer.prepare?.(object);
    return Buffer.from(packer.pack(object));
  });
  const read = packer.createReader();
  for (const [i, bytes] of packed.entries()) {
    if (i % CHECK_EVERY === 0) deepStrictEqual(read(bytes), parse(documents[i] ?? ''));
  }
  return { documents: packed, read };
}

function bytesOf({ documents }: Packed): number {
  return documents.reduce((sum, { length }) => sum + length, 0);
}

/** Like a worker: from objects that were just parsed, with a new packer. */
function packTask(
  name: string,
  create: () => Codec,
  documents: readonly string[],
  expectedBytes: number,
): MicroTask {
  let packer = create();
  let objects: Parsed[] = [];
  return {
    name,
    items: documents.length,
    beforeEach() {
      packer = create();
      objects = documents.map(parse);
      for (const object of objects) packer.prepare?.(object);
    },
    run() {
      let bytes = 0;
      for (const object of objects) bytes += packer.pack(object).length;
      if (bytes !== expectedBytes)
        throw new Error(`${name} packed ${bytes} bytes, expected ${expectedBytes}`);
    },
  };
}

function readTask(name: string, { documents, read }: Packed): MicroTask {
  return {
    name,
    items: documents.length,
    run() {
      for (const bytes of documents) read(bytes);
    },
  };
}
