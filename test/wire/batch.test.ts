import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metaNamespaceKey } from '#dist/src/kube/key.js';
import {
  type Batch,
  BatchReader,
  BatchWriter,
  batchBytes,
  type ControlRow,
  releaseBatch,
  type WritableRow,
} from '#dist/src/wire/batch.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ObjectReaders } from '#dist/src/wire/object-readers.js';
import { ScratchBuffers } from '#dist/src/wire/scratch-buffers.js';
import { expectEqualJson } from '../support/objects/equal-json.js';
import { HOSTILE_OBJECTS } from '../support/objects/hostile-objects.js';
import { cellRow } from '../support/workers/cell-rows.js';

const EPOCH = 3;

interface Row {
  readonly type: 'item' | 'added' | 'modified' | 'deleted';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly indexValues: readonly (readonly string[])[];
  readonly object: unknown;
}

/** Both sides of one stream. */
class Stream {
  readonly packer: ObjectPacker;
  readonly writer: BatchWriter;
  readonly reader: BatchReader;
  #sequence = 0;

  constructor(
    packer = new ObjectPacker(),
    readers = new ObjectReaders(),
    epoch = EPOCH,
    scratchBytes = 4096,
  ) {
    this.packer = packer;
    this.writer = new BatchWriter(packer, { scratch: new ScratchBuffers(scratchBytes) });
    this.reader = new BatchReader({ epoch, readers });
  }

  write(rows: readonly (Row | ControlRow)[]): ArrayBufferLike {
    for (const row of rows) this.writer.add(this.writable(row));
    return this.writer.finish(EPOCH, this.#sequence++);
  }

  writable(row: Row | ControlRow): WritableRow {
    return 'object' in row ? cellRow(row, this.packer.pack(row.object)) : row;
  }

  send(rows: readonly (Row | ControlRow)[]): (Row | ControlRow)[] {
    return rowsOf(this.reader.read(this.write(rows)));
  }
}

function rowsOf({ rows, cells, reader }: Batch): (Row | ControlRow)[] {
  return rows.map((row) => {
    if (typeof row !== 'number') return row;
    const offset = row;
    const type = cells.typeAt(offset) as Row['type'];
    const indexValues: string[][] = [];
    for (let i = 0; ; i++) {
      const values = cells.indexValuesAt(offset, i);
      if (values === undefined) break;
      indexValues.push(values);
    }
    const [namespace, name] = [cells.namespaceAt(offset), cells.nameAt(offset)];
    expect(cells.keyAt(offset)).toBe(metaNamespaceKey(namespace, name));
    return {
      type,
      namespace,
      name,
      uid: cells.uidAt(offset),
      resourceVersion: cells.resourceVersionAt(offset),
      indexValues,
      object: reader.read(cells.bytes, cells.payloadStartAt(offset), cells.payloadEndAt(offset)),
    };
  });
}

function row(name: string, object: unknown = { metadata: { name } }): Row {
  return {
    type: 'added',
    namespace: 'default',
    name,
    uid: `uid-${name}`,
    resourceVersion: '7',
    indexValues: [],
    object,
  };
}

const anyString = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
    .map((units) => String.fromCharCode(...units)),
);

const anyRow: fc.Arbitrary<Row | ControlRow> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom('item', 'added', 'modified', 'deleted'),
      namespace: anyString,
      name: anyString,
      uid: anyString,
      resourceVersion: anyString,
      indexValues: fc.array(fc.array(anyString, { maxLength: 4 }), { maxLength: 4 }),
      object: fc.jsonValue(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({
        type: fc.constant('bookmark' as const),
        resourceVersion: anyString,
        initialEventsEnd: fc.boolean(),
      }),
      fc.record({
        type: fc.constant('error' as const),
        status: fc.record({ code: fc.nat(), message: anyString }),
      }),
      fc.record({
        type: fc.constant('rejected' as const),
        reason: fc.constant('undecodable' as const),
        message: anyString,
        key: anyString,
      }),
    ),
  },
);

/** fast-check's records sometimes have no prototype. */
function plain(row: Row | ControlRow): Row | ControlRow {
  return 'status' in row ? { ...row, status: { ...row.status } } : { ...row };
}

const invalid = expect.objectContaining({ code: 'KUBEFLECT_BATCH_INVALID' });

describe('BatchWriter and BatchReader', () => {
  it('returns objects and control rows unchanged and in order, batch after batch', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyRow, { maxLength: 12 }), { maxLength: 5 }), (batches) => {
        const stream = new Stream();
        for (const rows of batches) deepStrictEqual(stream.send(rows), rows.map(plain));
      }),
      { numRuns: 300 },
    );
  });

  it('writes a small batch to an ArrayBuffer of exactly its size, which can be transferred', () => {
    const stream = new Stream();
    const first = stream.write([row('a'), row('b')]) as ArrayBuffer;
    const second = stream.write([row('c')]);
    const taken = structuredClone(first, { transfer: [first] });
    expect(first.byteLength).toBe(0);
    expect(rowsOf(stream.reader.read(taken))).toEqual([row('a'), row('b')]);
    expect(rowsOf(stream.reader.read(second))).toEqual([row('c')]);
  });

  it('writes a large batch to shared memory, which it reuses only after the reader has released it', () => {
    const stream = new Stream(undefined, undefined, undefined, 512 * 1024);
    const rowsOf200 = (prefix: string) =>
      Array.from({ length: 200 }, (_, i) => row(`${prefix}${i}`, { text: `${prefix}${i}`.repeat(300) }));
    const [one, two, three] = [rowsOf200('a'), rowsOf200('b'), rowsOf200('c')];
    const [first, second] = [stream.write(one), stream.write(two)];
    expect(first).toBeInstanceOf(SharedArrayBuffer);
    expect(batchBytes(first)).toBeGreaterThan(64 * 1024);
    expect(batchBytes(first)).toBeLessThan(first.byteLength);
    expect(second).not.toBe(first);
    const batch = stream.reader.read(first);
    expect(rowsOf(batch)).toEqual(one);
    releaseBatch(batch);
    const third = stream.write(three);
    expect(third).toBe(first);
    expect(rowsOf(stream.reader.read(second))).toEqual(two);
    expect(rowsOf(stream.reader.read(third))).toEqual(three);
  });

  it('frees a small batch when its reader releases it', () => {
    const stream = new Stream();
    const buffer = stream.write([row('a', { text: 'x'.repeat(3000) })]);
    expect(buffer).toBeInstanceOf(ArrayBuffer);
    releaseBatch(stream.reader.read(buffer));
    expect(buffer.byteLength).toBe(0);
  });

  it('counts rows and bytes, and starts over after each batch', () => {
    const { writer, packer } = new Stream();
    expect(writer.rows).toBe(0);
    const empty = writer.bytes;
    writer.add(cellRow(row('a'), packer.pack({ a: 'x'.repeat(1000) })));
    expect(writer.rows).toBe(1);
    expect(writer.bytes).toBeGreaterThan(empty + 1000);
    writer.finish(EPOCH, 0);
    expect([writer.rows, writer.bytes]).toEqual([0, empty]);
  });

  it('writes and reads an empty batch', () => {
    expect(new Stream().send([])).toEqual([]);
  });

  it('carries hostile objects among others in one batch', () => {
    const rows = HOSTILE_OBJECTS.filter(({ json }) => json.length < 200_000).map(({ name, json }) =>
      row(name, JSON.parse(json)),
    );
    expectEqualJson(new Stream().send(rows), rows);
  });

  it('carries a row that is larger than any batch should be', () => {
    const rows = [row('small'), row('large', { a: 'x'.repeat(20 * 1024 * 1024) }), row('after')];
    expect(new Stream().send(rows)).toEqual(rows);
  });
});

describe('BatchWriter and BatchReader, definitions', () => {
  it('lets several streams share the table of their thread, whichever is read first', () => {
    const packer = new ObjectPacker();
    const readers = new ObjectReaders();
    const streams = Array.from({ length: 3 }, () => new Stream(packer, readers));
    const objects = (i: number): Row[] =>
      Array.from({ length: 40 }, (_, j) =>
        row(`o${i}-${j}`, { [`a${i}`]: 1, [`b${j}`]: 'the same long string' }),
      );
    const written = streams.map((stream, i) => [stream.write(objects(i)), stream.write(objects(i + 3))]);
    for (const i of [2, 0, 1]) {
      for (const [j, buffer] of written[i]!.entries()) {
        expect(rowsOf(streams[i]!.reader.read(buffer))).toEqual(objects(i + 3 * j));
      }
    }
    expect(readers.get(packer.tableId).size).toBe(packer.definitions.length);
  });

  it('reads a new table after a restart of the thread, and older payloads with the old one', () => {
    const readers = new ObjectReaders();
    const before = new Stream(new ObjectPacker(), readers);
    const old = before.reader.read(before.write([row('a', { x: 1, y: { z: 2 } })]));
    const after = new Stream(new ObjectPacker(), readers);
    const fresh = after.reader.read(after.write([row('b', { z: 'other', q: 1 })]));
    expect(rowsOf(old)).toEqual([row('a', { x: 1, y: { z: 2 } })]);
    expect(rowsOf(fresh)).toEqual([row('b', { z: 'other', q: 1 })]);
  });
});

describe('BatchReader, damaged batches', () => {
  const rows = [
    row('a', { spec: { b: [1, 'c'] } }),
    { type: 'bookmark', resourceVersion: '9', initialEventsEnd: true } as const,
  ];

  it('rejects a batch in which any byte differs', () => {
    const buffer = new Stream().write(rows);
    for (let at = 0; at < buffer.byteLength; at++) {
      for (const mask of [0x01, 0x80, 0xff]) {
        const damaged = buffer.slice(0);
        const bytes = new Uint8Array(damaged);
        bytes[at] = bytes[at]! ^ mask;
        expect(() => new Stream().reader.read(damaged), `byte ${at}`).toThrow(invalid);
      }
    }
  });

  it('rejects a batch that is cut anywhere or has bytes appended', () => {
    const buffer = new Stream().write(rows);
    for (let end = 0; end < buffer.byteLength; end++) {
      expect(() => new Stream().reader.read(buffer.slice(0, end)), `cut at ${end}`).toThrow(invalid);
    }
    const longer = new Uint8Array(buffer.byteLength + 4);
    longer.set(new Uint8Array(buffer));
    expect(() => new Stream().reader.read(longer.buffer)).toThrow(invalid);
  });

  it('rejects batches out of order, repeated or of another epoch, and still reads the right one', () => {
    const stream = new Stream();
    const [first, second] = [stream.write([row('a')]), stream.write([row('b')])];
    expect(() => stream.reader.read(second)).toThrow(invalid);
    expect(rowsOf(stream.reader.read(first.slice(0)))).toEqual([row('a')]);
    expect(() => stream.reader.read(first)).toThrow(invalid);
    expect(() => new Stream(stream.packer, new ObjectReaders(), EPOCH + 1).reader.read(first)).toThrow(
      invalid,
    );
    expect(rowsOf(stream.reader.read(second))).toEqual([row('b')]);
  });

  it('rejects a batch when the definitions before its own are missing', () => {
    const stream = new Stream();
    stream.write([row('a', { first: 1 })]);
    const second = stream.writer;
    second.add(stream.writable(row('b', { second: { third: 1 } })));
    expect(() => new Stream().reader.read(second.finish(EPOCH, 0))).toThrow(invalid);
  });
});
