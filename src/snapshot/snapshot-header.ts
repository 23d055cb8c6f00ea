import { createHash } from 'node:crypto';
import { type Packable, pack, packableString, unpack, unpackedString } from '../wire/msgpack.js';
import { broken, SnapshotRejection } from './snapshot-rejection.js';

/**
 * The last event that was applied before the snapshot was taken, of one collection. The next start watches from the
 * version before it: the server confirms the snapshot by sending this event first, which it can only do if its history
 * is the one that the snapshot was taken from.
 */
export interface Anchor {
  readonly resourceVersion: string;
  readonly key: string;
  readonly uid: string;
  readonly isDeletion: boolean;
  /** Of the object in the event: see `contentDigest`. Empty if the object is too large for it. */
  readonly digest: string;
}

export interface ServerIdentity {
  /** Of the namespace `kube-system`, if this user may read it. */
  readonly uid: string | undefined;
  /** The address, and a hash of the authority of its certificate. */
  readonly address: string;
}

/** Known before the server has been asked for anything. */
export type ExpectedIdentity = Omit<SnapshotIdentity, 'server'>;

/** Whose snapshot it is. Strings, compared as they are. */
export interface SnapshotIdentity {
  /** Versions of this package and of its protobuf schema. */
  readonly program: Readonly<Record<string, string>>;
  readonly server: ServerIdentity;
  /** By name: the options of the informer that change what is stored. */
  readonly options: Readonly<Record<string, string>>;
}

/** The first frame of a snapshot. */
export interface SnapshotHeader {
  readonly identity: SnapshotIdentity;
  /** By namespace; '' if one watch has all of them. */
  readonly anchors: Readonly<Record<string, Anchor>>;
  readonly objects: number;
  readonly tables: number;
  /** Milliseconds since 1970. */
  readonly takenAt: number;
}

/** msgpackr changes keys of maps: pairs of arrays, and no maps. */
export function packHeader(header: SnapshotHeader): Uint8Array {
  const { identity, anchors, objects, tables, takenAt } = header;
  const { program, server, options } = identity;
  return Buffer.from(
    pack([
      packRecord(program),
      packableString(server.uid ?? ''),
      packableString(server.address),
      packRecord(options),
      Object.entries(anchors).map(([namespace, anchor]) => [
        packableString(namespace),
        packableString(anchor.resourceVersion),
        packableString(anchor.key),
        packableString(anchor.uid),
        anchor.isDeletion ? 1 : 0,
        anchor.digest,
      ]),
      objects,
      tables,
      takenAt,
    ]),
  );
}

/** Throws `SnapshotRejection`. */
export function unpackHeader(bytes: Buffer): SnapshotHeader {
  try {
    const fields = arrayOf(unpack(bytes, 0, bytes.length), 8);
    const [program, uid, address, options, anchors, objects, tables, takenAt] = fields;
    return {
      identity: {
        program: unpackRecord(program),
        server: { uid: unpackedString(uid) || undefined, address: unpackedString(address) },
        options: unpackRecord(options),
      },
      anchors: Object.fromEntries(arrayOf(anchors).map(unpackAnchor)),
      objects: count(objects),
      tables: count(tables),
      takenAt: count(takenAt),
    };
  } catch (error) {
    if (error instanceof SnapshotRejection) throw error;
    throw broken('the header is damaged');
  }
}

/** Whether two clusters are the same, as far as can be told before a watch. */
export function isSameServer(a: ServerIdentity, b: ServerIdentity): boolean {
  return a.uid !== undefined && b.uid !== undefined ? a.uid === b.uid : a.address === b.address;
}

/** Throws `SnapshotRejection` if a snapshot is not one of `expected`, except for the server. */
export function checkIdentity(actual: ExpectedIdentity, expected: ExpectedIdentity): void {
  const program = differing(actual.program, expected.program);
  if (program.length > 0) throw new SnapshotRejection('format', `it is of another ${program.join(', ')}`);
  const options = differing(actual.options, expected.options);
  if (options.length > 0) {
    throw new SnapshotRejection('options', `it is of an informer with another ${options.join(', ')}`);
  }
}

/** Names that do not have the same value in both. */
export function differing(
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>>,
): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => a[name] !== b[name]).sort();
}

/** The same for equal objects, whatever the order of their keys. */
export function contentDigest(object: unknown): string {
  return createHash('sha256').update(canonicalJson(object)).digest('hex');
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function packRecord(record: Readonly<Record<string, string>>): Packable {
  return Object.entries(record).map(([name, value]) => [packableString(name), packableString(value)]);
}

function unpackRecord(value: unknown): Record<string, string> {
  return Object.fromEntries(
    arrayOf(value).map((pair) => {
      const [name, one] = arrayOf(pair, 2);
      return [unpackedString(name), unpackedString(one)];
    }),
  );
}

function unpackAnchor(value: unknown): [string, Anchor] {
  const [namespace, resourceVersion, key, uid, isDeletion, digest] = arrayOf(value, 6);
  return [
    unpackedString(namespace),
    {
      resourceVersion: unpackedString(resourceVersion),
      key: unpackedString(key),
      uid: unpackedString(uid),
      isDeletion: count(isDeletion) === 1,
      digest: unpackedString(digest),
    },
  ];
}

function arrayOf(value: unknown, length?: number): readonly unknown[] {
  if (!Array.isArray(value) || (length !== undefined && value.length !== length)) {
    throw broken('the header is damaged');
  }
  return value;
}

function count(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw broken('the header is damaged');
  }
  return value;
}
