import { decode, decodeMulti } from '@msgpack/msgpack';
import { unpack, unpackMultiple } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { generateObject } from '#dist/apiserver/generators/generate-object.js';
import { BatchReader, BatchWriter, batchBytes, type ControlRow } from '#dist/src/wire/batch.js';
import { ROW_TYPES } from '#dist/src/wire/cells.js';
import type { Definition } from '#dist/src/wire/definitions.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ObjectReader } from '#dist/src/wire/object-reader.js';
import { ObjectReaders } from '#dist/src/wire/object-readers.js';
import { ScratchBuffers } from '#dist/src/wire/scratch-buffers.js';
import { DecoderFactory } from '#dist/workers/decode/decoder-factory.js';
import { taskOf } from '../support/workers/stream-run.js';

const STATUS = { kind: 'Status', code: 410, reason: 'Expired', details: { __proto__: null, name: 'a' } };

const CONTROL_ROWS: readonly ControlRow[] = [
  { type: 'bookmark', resourceVersion: '17', initialEventsEnd: true },
  { type: 'error', status: STATUS },
  { type: 'rejected', reason: 'undecodable', message: 'no', key: 'default/a' },
];

const INDEX_PATHS = ['spec.nodeName', 'metadata.labels.app'];

/**
 * Two batches of one stream: pods, as a decoder writes them, one with strings that are not ASCII, and every kind of
 * control row.
 */
async function batchesOf(decoder: 'json' | 'simd'): Promise<Buffer[]> {
  const task = taskOf({
    path: '/',
    connection: '',
    decoding: { decoder, kind: 'Pod', indexPaths: INDEX_PATHS },
  });
  const stream = new DecoderFactory().create(task, undefined);
  expect(stream.decoder).toBe(decoder);
  const { source } = stream;
  const writer = new BatchWriter(source, { scratch: new ScratchBuffers(4096) });
  const decode = await stream.open();
  const batches = [0, 1].map((sequence) => {
    for (let i = 0; i < 50; i++) {
      const object = generateObject('Pod', sequence * 50 + i);
      const isWide = i === 7;
      const metadata = { ...object.metadata, ...(isWide && { name: 'größer-als-雪' }) };
      writer.add(
        decode.decodeEvent(Buffer.from(JSON.stringify({ type: 'ADDED', object: { ...object, metadata } }))),
      );
    }
    for (const row of CONTROL_ROWS) writer.add(row);
    const buffer = writer.finish(3, sequence);
    return Buffer.from(Buffer.from(buffer, 0, batchBytes(buffer)));
  });
  stream.close();
  return batches;
}

/** The objects of each batch, with their headers, as kubeflect reads them. */
function readWithKubeflect(batches: readonly Buffer[]): { header: unknown; object: unknown }[][] {
  const batchReader = new BatchReader({ epoch: 3, readers: new ObjectReaders() });
  return batches.map((bytes) => {
    const { rows, cells, reader } = batchReader.read(Uint8Array.from(bytes).buffer);
    expect(rows.slice(50)).toEqual(CONTROL_ROWS);
    return rows.slice(0, 50).map((row) => {
      const offset = row as number;
      const header = {
        type: cells.typeAt(offset),
        key: cells.keyAt(offset),
        namespace: cells.namespaceAt(offset),
        uid: cells.uidAt(offset),
        resourceVersion: cells.resourceVersionAt(offset),
        indexValues: INDEX_PATHS.map((_, index) => cells.indexValuesAt(offset, index)),
      };
      const object = reader.read(cells.bytes, cells.payloadStartAt(offset), cells.payloadEndAt(offset));
      return { header, object };
    });
  });
}

interface Range {
  readonly what: 'head' | 'header' | 'payload' | 'control row' | 'padding' | 'table id' | 'definitions';
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
}

type Cell = readonly [
  number,
  number,
  number,
  string | Buffer,
  string | Buffer,
  string | Buffer,
  Buffer,
  Buffer,
];

/** All bytes of a batch in their order, with what stock msgpackr reads there; a payload is left as bytes. */
function rangesOf(batch: Buffer): Range[] {
  const values: { value: unknown; start: number; end: number }[] = [];
  unpackMultiple(batch, (value, start = 0, end = 0) => {
    values.push({ value, start, end });
  });
  return values.flatMap(({ value, start, end }, i): Range[] => {
    if (i === 0) return [{ what: 'head', start, end, value }];
    if (i === values.length - 2) return [{ what: 'table id', start, end, value }];
    if (i === values.length - 1) return [{ what: 'definitions', start, end, value }];
    if (value === 0) return [{ what: 'padding', start, end, value }];
    const cell = value as Cell;
    const [type, byteLength, , , , , , payload] = cell;
    expect(byteLength, 'bytes of the cell').toBe((end - start + 3) & ~3);
    const payloadStart = end - payload.length;
    const isObject = ['item', 'added', 'modified', 'deleted'].includes(ROW_TYPES[type] ?? '');
    return [
      { what: 'header', start, end: payloadStart, value: cell.slice(0, 7) },
      {
        what: isObject ? 'payload' : 'control row',
        start: payloadStart,
        end,
        value: isObject ? payload : unpack(payload),
      },
    ];
  });
}

const stringOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('utf16le') : (value as string);

describe.each(['json', 'simd'] as const)('a batch of the %s decoder', (decoder) => {
  it('is read by stock msgpackr byte by byte, but for the payloads of objects', async () => {
    const batches = await batchesOf(decoder);
    const expected = readWithKubeflect(batches);
    const definitions: Definition[] = [];
    for (const [sequence, batch] of batches.entries()) {
      const ranges = rangesOf(batch);
      // No byte is left out.
      expect(ranges[0]?.start).toBe(0);
      expect(ranges.at(-1)?.end).toBe(batch.length);
      for (const [i, { start }] of ranges.slice(1).entries()) expect(start).toBe(ranges[i]?.end);

      const of = (...what: Range['what'][]): Range[] => ranges.filter((range) => what.includes(range.what));
      const bytesOf = (...what: Range['what'][]): number =>
        of(...what).reduce((sum, { start, end }) => sum + end - start, 0);
      const [head, id, defined] = [of('head')[0], of('table id')[0], of('definitions')[0]];
      const received = defined?.value as Definition[];
      expect(head?.value).toEqual([
        'KFB2',
        expect.any(Number),
        3,
        sequence,
        53,
        bytesOf('header', 'payload', 'control row', 'padding'),
        bytesOf('table id'),
        definitions.length,
        received.length,
        bytesOf('definitions'),
        1,
      ]);
      expect(id?.value).toMatch(/^\d+\.\d+$/);
      definitions.push(...received);
      expect(definitions.some((definition) => Array.isArray(definition))).toBe(true);

      const headers = of('header').map(({ value }) => {
        const [type, , namespaceBytes, key, uid, resourceVersion, indexValues] = value as Cell;
        return {
          type: ROW_TYPES[type],
          key: stringOf(key),
          namespace: stringOf(key.slice(0, namespaceBytes)),
          uid: stringOf(uid),
          resourceVersion: stringOf(resourceVersion),
          indexValues: (indexValues.length === 0 ? [] : (unpackMultiple(indexValues) as unknown[][])).map(
            (values) => values.map(stringOf),
          ),
        };
      });
      expect(headers.slice(0, 50)).toEqual(expected[sequence]?.map(({ header }) => header));
      expect(headers[7]?.key).toContain('雪');

      const [bookmark, error, rejected] = of('control row').map(({ value }) => value as unknown[]);
      expect(bookmark).toEqual(['17', 1]);
      expect(rejected).toEqual(['undecodable', 'no', 0, 'default/a', 0]);
      // A Status is an object with any keys: bytes of our own codec, which any library reads if its keys are harmless.
      expect(unpack(error?.[0] as Buffer)).toEqual(STATUS);

      const reader = new ObjectReader('');
      reader.extend(0, definitions);
      const payloads = of('payload').map(({ value }) => value as Buffer);
      expect(payloads.map((payload) => reader.read(payload, 0, payload.length))).toEqual(
        expected[sequence]?.map(({ object }) => object),
      );
    }
  });

  it('is read by @msgpack/msgpack in the same way', async () => {
    for (const batch of await batchesOf(decoder)) {
      expect(plain([...decodeMulti(batch)])).toEqual(plain(unpackMultiple(batch)));
    }
  });
});

describe('the payload of an object', () => {
  const object = {
    metadata: { name: 'a', labels: { 'app.example.org/name': 'b' } },
    items: [1, -1, 1.5, null, true, 'é'],
  };

  it('is read by stock msgpackr and by @msgpack/msgpack if it has no definitions', () => {
    const payload = Buffer.from(new ObjectPacker({ tables: false }).pack(object));
    expect(unpack(payload)).toEqual(object);
    expect(decode(payload)).toEqual(object);
  });

  it('is read by no other library if it has definitions: they take references for integers', () => {
    const payload = Buffer.from(new ObjectPacker().pack(object));
    const plainReaders = [unpack, decode].map((read) => {
      try {
        return read(payload);
      } catch {
        return 'unreadable';
      }
    });
    for (const value of plainReaders) expect(value).not.toEqual(object);
  });

  it('keeps strings with lone surrogates and the key __proto__, which msgpackr does not', () => {
    const hostile = JSON.parse('{"data":{"__proto__":"own","lone":"\\ud800"}}') as object;
    const payload = Buffer.from(new ObjectPacker({ tables: false }).pack(hostile));
    expect(JSON.stringify(new ObjectReader('').read(payload, 0, payload.length))).toBe(
      JSON.stringify(hostile),
    );
    expect(JSON.stringify(tryTo(() => unpack(payload)))).not.toBe(JSON.stringify(hostile));
  });
});

/** Buffers and Uint8Arrays compare equal, also within values. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return Array.isArray(value) ? value.map(plain) : value;
}

function tryTo(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
