import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Batch, BatchReader, BatchWriter, type ControlRow } from '#dist/src/wire/batch.js';
import { pack } from '#dist/src/wire/msgpack.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ObjectReaders } from '#dist/src/wire/object-readers.js';
import { ScratchBuffers } from '#dist/src/wire/scratch-buffers.js';
import { expectEqualJson } from '../support/objects/equal-json.js';
import { HOSTILE_OBJECTS } from '../support/objects/hostile-objects.js';
import { cellRow } from '../support/workers/cell-rows.js';

const CHECKSUM = 7;

const LONE_SURROGATE = 'a string with a lone surrogate \ud800, often';

/** Longer than the 64 bytes from which on msgpackr uses a TextDecoder. */
const WITH_BYTE_ORDER_MARK = `\ufeff${'a line of a file from Windows, '.repeat(4)}`;

function object(name: string): object {
  return { metadata: { name, uid: 'u' }, spec: { image: 'registry.example.org/shop/checkout:v1.2.3' } };
}

const CONTROL_ROWS: readonly ControlRow[] = [
  { type: 'bookmark', resourceVersion: '9', initialEventsEnd: true },
  { type: 'error', status: { kind: 'Status', code: 410, details: { causes: [{ reason: 'a' }] } } },
  { type: 'rejected', reason: 'hook', message: 'no', key: 'a/b' },
];

function batchOf(rows: readonly ControlRow[], packer = new ObjectPacker()): Buffer {
  const writer = new BatchWriter(packer, { scratch: new ScratchBuffers(4096) });
  for (let i = 0; i < 40; i++) {
    const header = { type: 'item' as const, namespace: 'n', name: `o${i}`, uid: 'u', resourceVersion: '1' };
    writer.add(cellRow({ ...header, indexValues: [] }, packer.pack(object(`o${i}`))));
  }
  for (const row of rows) writer.add(row);
  return Buffer.from(writer.finish(1, 0));
}

function read(batch: Buffer): Batch {
  const { buffer, byteOffset, length } = batch;
  return new BatchReader({ epoch: 1, readers: new ObjectReaders() }).read(
    buffer.slice(byteOffset, byteOffset + length),
  );
}

/** As a worker would send it: only what the checksum cannot find is left to find. */
function withChecksum(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32(batch.subarray(CHECKSUM + 4)), CHECKSUM);
  return batch;
}

/** Reads everything that a batch has. */
function readFully(batch: Buffer): void {
  const { rows, cells, reader } = read(batch);
  for (const row of rows) {
    if (typeof row === 'number') reader.read(cells.bytes, cells.payloadStartAt(row), cells.payloadEndAt(row));
  }
}

describe('control rows', () => {
  it('carry a Status with any keys and strings that JSON has', () => {
    for (const { json } of HOSTILE_OBJECTS.filter(({ json }) => json.length < 100_000)) {
      const status = { kind: 'Status', details: JSON.parse(json) as unknown };
      expectEqualJson(read(batchOf([{ type: 'error', status }])).rows.at(-1), { type: 'error', status });
    }
  });

  it('carry strings with lone surrogates, and with a byte order mark', () => {
    const rows: ControlRow[] = [
      { type: 'rejected', reason: 'hook', message: WITH_BYTE_ORDER_MARK },
      { type: 'bookmark', resourceVersion: LONE_SURROGATE, initialEventsEnd: false },
      { type: 'rejected', reason: 'undecodable', message: LONE_SURROGATE, key: '\udfff', eventType: '' },
    ];
    expect(read(batchOf(rows)).rows.slice(-3)).toEqual(rows);
  });

  it('leave no large buffer behind after a large one', () => {
    const large = pack([new Uint8Array(1 << 20)]);
    expect(large.length).toBeGreaterThan(1 << 20);
    expect(pack(['small']).buffer.byteLength).toBeLessThanOrEqual(64 * 1024);
  });
});

describe('definitions', () => {
  it('are never strings with lone surrogates, nor with a byte order mark', () => {
    const packer = new ObjectPacker();
    for (let i = 0; i < 100; i++)
      packer.pack({
        plain: 'a frequent string, of good form',
        lone: LONE_SURROGATE,
        mark: WITH_BYTE_ORDER_MARK,
      });
    expect(packer.definitions).toContain('a frequent string, of good form');
    expect(packer.definitions).not.toContain(LONE_SURROGATE);
    expect(packer.definitions).not.toContain(WITH_BYTE_ORDER_MARK);
  });
});

describe('BatchReader, malformed batches with the right checksum', () => {
  const valid = batchOf(CONTROL_ROWS);

  it('reads a batch in which any byte differs, or rejects it with KUBEFLECT_BATCH_INVALID', () => {
    let rejected = 0;
    for (let at = CHECKSUM + 4; at < valid.length; at++) {
      for (const mask of [0x01, 0x08, 0x20, 0x40, 0x80, 0xff]) {
        const damaged = Buffer.from(valid);
        damaged[at] = damaged.readUInt8(at) ^ mask;
        try {
          readFully(withChecksum(damaged));
        } catch (error) {
          expect(error, `byte ${at}, mask ${mask}`).toMatchObject({ code: 'KUBEFLECT_BATCH_INVALID' });
          rejected++;
        }
      }
    }
    expect(rejected).toBeGreaterThan(1000);
  });

  it('reads a batch with random definitions and control rows, or rejects it with KUBEFLECT_BATCH_INVALID', () => {
    const start = valid.length - 600;
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 600 }), fc.nat(599), (bytes, offset) => {
        const damaged = Buffer.from(valid);
        damaged.set(bytes.subarray(0, 600 - offset), start + offset);
        try {
          readFully(withChecksum(damaged));
        } catch (error) {
          expect(error).toMatchObject({ code: 'KUBEFLECT_BATCH_INVALID' });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('rejects a batch without quoting its content', () => {
    const secret = Buffer.from('registry.example.org');
    const damaged = Buffer.from(valid);
    const at = damaged.lastIndexOf(secret);
    // The array of definitions ends early: msgpackr would print what it has read so far.
    const definitionBytes = damaged.readUInt32BE(47);
    expect(at).toBeGreaterThan(damaged.length - definitionBytes);
    damaged.writeUInt8(0x91, damaged.length - definitionBytes);
    try {
      readFully(withChecksum(damaged));
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'KUBEFLECT_BATCH_INVALID' });
      expect(String(error) + String((error as Error).cause)).not.toMatch(/metadata|registry/);
    }
  });
});
