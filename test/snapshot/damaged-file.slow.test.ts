import { expect, it } from 'vitest';
import { readSnapshot } from '#dist/src/snapshot/read-snapshot.js';
import type { SnapshotFiles } from '#dist/src/snapshot/snapshot-files.js';
import { SnapshotRejection } from '#dist/src/snapshot/snapshot-rejection.js';
import { writeSnapshot } from '#dist/src/snapshot/write-snapshot.js';
import { CrashingFiles } from '../support/snapshot/crashing-files.js';
import { contentOf, IDENTITY } from '../support/snapshot/snapshot-content.js';

const NAME = 'pods.snapshot';
const OBJECTS = 200;

function snapshotBytes(key: Uint8Array | undefined): Buffer {
  const files = new CrashingFiles(() => 0);
  const salt = Buffer.alloc(32, 1);
  const options = { name: NAME, temporaryName: 'tmp', key, salt, maxBytes: 1e9, isAborted: () => false };
  writeSnapshot(contentOf(OBJECTS, 1), { ...options, files });
  const opened = files.open(NAME);
  const bytes = Buffer.alloc(opened?.bytes ?? 0);
  files.read(opened?.file ?? 0, bytes, 0);
  return bytes;
}

/** A directory with this file alone; no more than its bytes may be requested at once. */
function filesOf(bytes: Buffer): SnapshotFiles {
  const files = new CrashingFiles(() => 0);
  return Object.assign(Object.create(files) as CrashingFiles, {
    open: () => ({ file: 1, bytes: bytes.length }),
    close: () => {},
    read: (_: number, into: Uint8Array, position: number) => {
      if (into.length > bytes.length) throw new Error('more memory than the file has');
      return bytes.copy(into, 0, position);
    },
  });
}

/** Throws unless the file is rejected; returns why. */
function rejection(bytes: Buffer, key: Uint8Array | undefined): string {
  try {
    readSnapshot({
      files: filesOf(bytes),
      name: NAME,
      key,
      maxBytes: 1e9,
      expected: IDENTITY,
      onTable: () => {},
      onCells: () => {},
    });
  } catch (error) {
    if (error instanceof SnapshotRejection) return error.reason;
    throw error;
  }
  throw new Error('the file was accepted');
}

it.each([
  ['in plain', undefined],
  ['encrypted', Buffer.alloc(32, 7)],
])(
  'a snapshot of 200 objects %s is rejected when it is cut at any byte, or any of its bits is flipped',
  (_, key) => {
    const bytes = snapshotBytes(key);
    const reasons = new Map<string, number>();
    const count = (reason: string): void => void reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    for (let length = 0; length < bytes.length; length++) count(rejection(bytes.subarray(0, length), key));
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const at = bit >>> 3;
      bytes[at] = (bytes[at] as number) ^ (1 << (bit & 7));
      count(rejection(bytes, key));
      bytes[at] = (bytes[at] as number) ^ (1 << (bit & 7));
    }
    expect([...reasons.values()].reduce((sum, one) => sum + one, 0)).toBe(bytes.length * 9);
    expect([...reasons.keys()].every((reason) => ['broken', 'format', 'key'].includes(reason))).toBe(true);
  },
  600_000,
);
