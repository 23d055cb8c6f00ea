import { type SnapshotFiles, UntrustedFile } from '#dist/src/snapshot/snapshot-files.js';

/** The machine or the process has stopped. */
export class Crash extends Error {}

interface File {
  /** What a process sees. */
  bytes: Buffer;
  /** What is on the disk for certain. */
  synced: Buffer;
}

/**
 * A directory in memory that crashes at any of its operations. After `restart` it holds what a disk would: what was
 * synced, and of everything else whatever `random` decides, in pieces.
 */
export class CrashingFiles implements SnapshotFiles {
  /** Operations so far. */
  operations = 0;
  /** The number of the operation at which to crash. */
  crashAt: number = Number.POSITIVE_INFINITY;
  readonly #random: () => number;
  /** By name, as a process sees it. */
  #names = new Map<string, File>();
  /** By name, on the disk for certain. */
  #syncedNames = new Map<string, File>();
  #handles = new Map<number, File>();
  #nextHandle = 1;

  constructor(random: () => number) {
    this.#random = random;
  }

  create(name: string): number {
    this.#operation();
    if (this.#names.has(name)) throw Object.assign(new Error('exists'), { code: 'EEXIST' });
    const file = { bytes: Buffer.alloc(0), synced: Buffer.alloc(0) };
    this.#names.set(name, file);
    return this.#open(file);
  }

  write(handle: number, bytes: Uint8Array): void {
    const file = this.#file(handle);
    const isCrash = this.operations + 1 === this.crashAt;
    const part = isCrash ? Math.floor(this.#random() * bytes.length) : bytes.length;
    file.bytes = Buffer.concat([file.bytes, bytes.subarray(0, part)]);
    this.#operation();
  }

  sync(handle: number): void {
    this.#operation();
    const file = this.#file(handle);
    file.synced = file.bytes;
  }

  close(handle: number): void {
    this.#handles.delete(handle);
  }

  rename(from: string, to: string): void {
    this.#operation();
    const file = this.#names.get(from);
    if (file === undefined) throw Object.assign(new Error('missing'), { code: 'ENOENT' });
    this.#names.delete(from);
    this.#names.set(to, file);
  }

  syncDirectory(): void {
    this.#operation();
    this.#syncedNames = new Map(this.#names);
  }

  remove(name: string): void {
    this.#operation();
    this.#names.delete(name);
  }

  list(): string[] {
    return [...this.#names.keys()];
  }

  ageMs(): number {
    return 0;
  }

  open(name: string): { readonly file: number; readonly bytes: number } | undefined {
    const file = this.#names.get(name);
    if (file === undefined) return undefined;
    if (name.endsWith('.link')) throw new UntrustedFile('a link');
    return { file: this.#open(file), bytes: file.bytes.length };
  }

  read(handle: number, into: Uint8Array, position: number): number {
    return this.#file(handle).bytes.copy(into, 0, position);
  }

  /** What another process finds. `isMachine`: the machine stopped too, and with it went what was not synced. */
  restart(isMachine: boolean): void {
    this.crashAt = Number.POSITIVE_INFINITY;
    this.#handles.clear();
    if (!isMachine) return;
    // A name that is not synced is there or not, whichever of the two files it names.
    const names = new Map(this.#random() < 0.5 ? this.#names : this.#syncedNames);
    this.#names = new Map();
    for (const [name, file] of names) {
      const lost = file.bytes.length - file.synced.length;
      const kept = file.synced.length + Math.floor(this.#random() * (lost + 1));
      const bytes = Buffer.from(file.bytes.subarray(0, kept));
      // A block that was never written reads as zeros.
      if (lost > 0 && this.#random() < 0.5) bytes.fill(0, file.synced.length);
      this.#names.set(name, { bytes, synced: bytes });
    }
    this.#syncedNames = new Map(this.#names);
  }

  #operation(): void {
    this.operations++;
    if (this.operations >= this.crashAt) throw new Crash();
  }

  #open(file: File): number {
    const handle = this.#nextHandle++;
    this.#handles.set(handle, file);
    return handle;
  }

  #file(handle: number): File {
    const file = this.#handles.get(handle);
    if (file === undefined) throw new Error('a closed file');
    return file;
  }
}
