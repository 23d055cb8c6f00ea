import { describe, expect, it } from 'vitest';
import { readSnapshot } from '#dist/src/snapshot/read-snapshot.js';
import { SnapshotRejection } from '#dist/src/snapshot/snapshot-rejection.js';
import { SnapshotTooLarge, writeSnapshot } from '#dist/src/snapshot/write-snapshot.js';
import { Crash, CrashingFiles } from '../support/snapshot/crashing-files.js';
import { contentOf, IDENTITY, ReadObjects } from '../support/snapshot/snapshot-content.js';
import { SeededRandom } from '../support/time/seeded-random.js';

const NAME = 'pods.snapshot';
const KEY = Buffer.alloc(32, 7);

function write(files: CrashingFiles, generation: number, key?: Uint8Array, maxBytes = 1e9): number {
  return writeSnapshot(contentOf(120, generation), {
    files,
    name: NAME,
    temporaryName: `${generation}.tmp`,
    key,
    salt: Buffer.alloc(32, generation),
    maxBytes,
    isAborted: () => false,
  });
}

/** The generation that is in the file, after checking that it is complete; undefined if there is none. */
function read(files: CrashingFiles, key?: Uint8Array): number | undefined {
  const { objects, ...sink } = new ReadObjects();
  try {
    const options = { files, name: NAME, key, maxBytes: 1e9, expected: IDENTITY };
    const { takenAt } = readSnapshot({ ...options, ...sink });
    const expected = new ReadObjects();
    const { slabs, tables } = contentOf(120, takenAt);
    for (const table of tables) expected.onTable(table);
    for (const { cells, offsets, table } of slabs) {
      expected.onCells({ buffer: cells.bytes.buffer as SharedArrayBuffer, offsets, table });
    }
    expect(objects).toEqual(expected.objects);
    return takenAt;
  } catch (error) {
    if (error instanceof SnapshotRejection && error.reason === 'absent') return undefined;
    throw error;
  }
}

describe.each([
  ['in plain', undefined],
  ['encrypted', KEY],
])('a snapshot %s', (_, key) => {
  it('is read as it was written', () => {
    const files = new CrashingFiles(() => 0);
    const bytes = write(files, 3, key);
    expect(files.open(NAME)?.bytes).toBe(bytes);
    expect(files.list()).toEqual([NAME]);
    expect(read(files, key)).toBe(3);
  });

  it('is the old one, the new one or none, whenever the process or the machine stops', () => {
    for (let seed = 1; seed <= 3; seed++) {
      const random = new SeededRandom(seed);
      for (const isMachine of [false, true]) {
        for (const hasOld of [false, true]) {
          for (let crashAt = 1; ; crashAt++) {
            const files = new CrashingFiles(() => random.next());
            if (hasOld) write(files, 1, key);
            files.crashAt = files.operations + crashAt;
            let isWritten = true;
            try {
              write(files, 2, key);
            } catch (error) {
              if (!(error instanceof Crash)) throw error;
              isWritten = false;
            }
            files.restart(isMachine);
            const found = read(files, key);
            if (isWritten) expect(found).toBe(2);
            else expect([hasOld ? 1 : undefined, 2]).toContain(found);
            if (isWritten) break;
          }
        }
      }
    }
  });

  it('leaves the old one if the disk is full, and nothing else', () => {
    const files = new CrashingFiles(() => 0);
    write(files, 1, key);
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
    for (const method of ['write', 'sync', 'rename'] as const) {
      const broken = new Proxy(files, {
        get: (target, name) => {
          if (name === method) return () => raise(full);
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      expect(() => write(broken, 2, key)).toThrow(full);
      expect(files.list()).toEqual([NAME]);
      expect(read(files, key)).toBe(1);
    }
  });

  it('is not written if it would be too large', () => {
    const files = new CrashingFiles(() => 0);
    expect(() => write(files, 1, key, 5000)).toThrow(SnapshotTooLarge);
    expect(files.list()).toEqual([]);
  });
});

function raise(error: Error): never {
  throw error;
}
