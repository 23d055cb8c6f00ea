import { cpuUsage } from 'node:process';
import { SALT_BYTES } from '../../src/snapshot/frames.js';
import type {
  CapturedAnchor,
  CapturedSlab,
  SnapshotRequest,
  SnapshotResponse,
} from '../../src/snapshot/messages.js';
import { readHeader, readSnapshot } from '../../src/snapshot/read-snapshot.js';
import type { SnapshotFiles } from '../../src/snapshot/snapshot-files.js';
import {
  type Anchor,
  contentDigest,
  differing,
  type ExpectedIdentity,
} from '../../src/snapshot/snapshot-header.js';
import { SnapshotRejection } from '../../src/snapshot/snapshot-rejection.js';
import { WriteAborted, writeSnapshot } from '../../src/snapshot/write-snapshot.js';
import { Cells } from '../../src/wire/cells.js';
import type { Definition } from '../../src/wire/definitions.js';
import { ObjectReader } from '../../src/wire/object-reader.js';
import { DirectoryLocked } from './directory-lock.js';

const TEMPORARY = '.tmp';
const SNAPSHOT = '.snapshot';
/** An older one is probably of options that no informer has any more. No server remembers its version. */
const MAX_AGE_MS = 30 * 24 * 3_600_000;
/** A larger anchor is recognized by its key, uid and version alone: decoding it would stall the main thread. */
const MAX_DIGEST_BYTES = 256 * 1024;
/** Headers that are read to say which option is another one. */
const MAX_HEADERS = 16;

type Request<T extends SnapshotRequest['type']> = Extract<SnapshotRequest, { type: T }>;

/** A directory that no other process uses. */
export interface OpenDirectory {
  readonly files: SnapshotFiles;
  readonly isHeld: boolean;
  release(): void;
}

/** Injected: a simulation has its own. */
export interface SnapshotEnvironment {
  /** Rejects with `DirectoryLocked` if another process uses the directory. */
  openDirectory(directory: string): Promise<OpenDirectory>;
  randomBytes(bytes: number): Buffer;
  /** Called after each write and read: the memory of the cache is shared with the thread until then. */
  collectGarbage(): void;
}

/** What the thread of the snapshots does. It owns the directory; every call blocks the thread. */
export class SnapshotService {
  readonly #post: (response: SnapshotResponse) => void;
  readonly #environment: SnapshotEnvironment;
  readonly #tables = new Map<string, Definition[]>();
  /** By name: of writes that have not begun. */
  readonly #slabs = new Map<string, CapturedSlab[]>();
  #directory: OpenDirectory | undefined;
  #key: Uint8Array | undefined;
  #maxBytes = 0;
  #stop: Int32Array = new Int32Array(1);

  constructor(post: (response: SnapshotResponse) => void, environment: SnapshotEnvironment) {
    this.#post = post;
    this.#environment = environment;
  }

  async handle(request: SnapshotRequest): Promise<void> {
    if (request.type === 'define') this.#define(request);
    else if (request.type === 'forget') this.#tables.delete(request.tableId);
    else if (request.type === 'slabs') this.#add(request);
    else if (request.type === 'close') this.#directory?.release();
    else {
      try {
        if (request.type === 'open') await this.#open(request);
        else if (request.type === 'write') this.#write(request);
        else this.#read(request);
      } catch (error) {
        this.#post({ type: 'rejected', id: request.id, ...rejectionOf(error) });
      }
      if (request.type !== 'open') this.#environment.collectGarbage();
    }
  }

  async #open({ id, directory, key, maxBytes, stop }: Request<'open'>): Promise<void> {
    this.#directory ??= await this.#environment.openDirectory(directory);
    const { files } = this.#directory;
    this.#key = key;
    this.#maxBytes = maxBytes;
    this.#stop = new Int32Array(stop);
    for (const name of files.list()) {
      // Of writers that did not come to their end: no other process writes here.
      const isLeftOver = name.endsWith(TEMPORARY);
      if (isLeftOver || (name.endsWith(SNAPSHOT) && files.ageMs(name) > MAX_AGE_MS)) files.remove(name);
    }
    this.#post({ type: 'opened', id });
  }

  #define({ tableId, first, definitions }: Request<'define'>): void {
    const table = this.#tables.get(tableId) ?? [];
    this.#tables.set(tableId, table);
    table.length = first;
    table.push(...definitions);
  }

  #add({ name, slabs }: Request<'slabs'>): void {
    const added = this.#slabs.get(name) ?? [];
    this.#slabs.set(name, added);
    added.push(...slabs);
  }

  #write({ id, name, header, anchors, tables }: Request<'write'>): void {
    const slabs = this.#slabs.get(name) ?? [];
    this.#slabs.delete(name);
    const files = this.#opened();
    const before = cpuUsage();
    const ids = [...new Set(slabs.map(({ tableId }) => tableId))];
    const definitions = (tableId: string): readonly Definition[] => {
      const { [tableId]: size = 0 } = tables;
      const table = this.#tables.get(tableId) ?? [];
      if (table.length < size) throw new Error('definitions are missing');
      return table.slice(0, size);
    };
    const completeAnchors = Object.entries(anchors).map(
      ([namespace, anchor]) => [namespace, anchorOf(anchor, definitions(anchor.tableId))] as const,
    );
    const bytes = writeSnapshot(
      {
        header: { ...header, anchors: Object.fromEntries(completeAnchors), tables: ids.length },
        tables: ids.map(definitions),
        slabs: slabs.map(({ buffer, offsets, tableId }) => ({
          cells: new Cells(buffer),
          offsets: offsets.sort(),
          table: ids.indexOf(tableId),
        })),
      },
      {
        files,
        name,
        temporaryName: `${name}.${this.#environment.randomBytes(6).toString('hex')}${TEMPORARY}`,
        key: this.#key,
        salt: this.#environment.randomBytes(SALT_BYTES),
        maxBytes: this.#maxBytes,
        isAborted: () => Atomics.load(this.#stop, 0) !== 0,
      },
    );
    const { user, system } = cpuUsage(before);
    this.#post({ type: 'written', id, bytes, cpuMs: (user + system) / 1000 });
  }

  #read({ id, name, expected }: Request<'read'>): void {
    const files = this.#opened();
    let bytes = 0;
    try {
      const header = readSnapshot({
        files,
        name,
        key: this.#key,
        maxBytes: this.#maxBytes,
        expected,
        onHeader: ({ objects }) => this.#post({ type: 'begin', id, objects }),
        onTable: (definitions) => this.#post({ type: 'table', id, definitions }),
        onCells: ({ buffer, offsets, table }) => {
          bytes += buffer.byteLength;
          this.#post({ type: 'cells', id, buffer, offsets, table });
        },
      });
      this.#post({ type: 'read', id, header, bytes });
    } catch (error) {
      if (!(error instanceof SnapshotRejection && error.reason === 'absent')) throw error;
      throw this.#absence(files, expected) ?? error;
    }
  }

  /** Which options are others than those of a snapshot of the same resource, whose name has all options. */
  #absence(files: SnapshotFiles, expected: ExpectedIdentity): SnapshotRejection | undefined {
    const prefix = snapshotPrefix(expected);
    const names = files.list().filter((name) => name.startsWith(prefix) && name.endsWith(SNAPSHOT));
    let nearest: string[] | undefined;
    for (const name of names.slice(0, MAX_HEADERS)) {
      const header = readHeader({ files, name, key: this.#key });
      if (header === undefined) continue;
      const others = differing(header.identity.options, expected.options);
      if (nearest === undefined || others.length < nearest.length) nearest = others;
    }
    if (nearest === undefined) return undefined;
    return new SnapshotRejection('options', `there is one of an informer with another ${nearest.join(', ')}`);
  }

  #opened(): SnapshotFiles {
    if (this.#directory?.isHeld !== true) throw new DirectoryLocked('another process uses the directory');
    return this.#directory.files;
  }
}

/** The beginning of the names of all snapshots of a resource. */
export function snapshotPrefix({ options }: ExpectedIdentity): string {
  return `${options.plural}.${(options.apiVersion ?? '').replaceAll('/', '.')}-`;
}

function anchorOf(captured: CapturedAnchor, definitions: readonly Definition[]): Anchor {
  const { buffer, offset, resourceVersion, key, uid, isDeletion, tableId } = captured;
  const cells = new Cells(buffer);
  const start = cells.payloadStartAt(offset);
  const end = cells.payloadEndAt(offset);
  const anchor = { resourceVersion, key, uid, isDeletion };
  if (end - start > MAX_DIGEST_BYTES) return { ...anchor, digest: '' };
  const reader = new ObjectReader(tableId);
  reader.extend(0, definitions);
  return { ...anchor, digest: contentDigest(reader.read(cells.bytes, start, end)) };
}

function rejectionOf(
  error: unknown,
): Pick<Extract<SnapshotResponse, { type: 'rejected' }>, 'reason' | 'message'> {
  if (error instanceof SnapshotRejection) return { reason: error.reason, message: error.message };
  if (error instanceof WriteAborted) return { reason: 'aborted', message: error.message };
  if (error instanceof DirectoryLocked) return { reason: 'locked', message: error.message };
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return { reason: 'failed', message: code ?? (error instanceof Error ? error.message : 'unknown error') };
}
