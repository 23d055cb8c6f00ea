import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemWallTime } from '../util/clock.js';
import { type FileHandle, type SnapshotFiles, UntrustedFile } from './snapshot-files.js';

const FILE_MODE = 0o600;
const WRITABLE_BY_OTHERS = 0o002;

/** A directory of the file system. For a thread of its own: every call blocks. */
export class DirectoryFiles implements SnapshotFiles {
  readonly #directory: string;

  /** @param directory an absolute path */
  constructor(directory: string) {
    this.#directory = directory;
  }

  create(name: string): FileHandle {
    const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
    const file = openSync(this.#path(name), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, FILE_MODE);
    // Whatever the process' umask is.
    fchmodSync(file, FILE_MODE);
    return file;
  }

  write(file: FileHandle, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at);
  }

  sync(file: FileHandle): void {
    fsyncSync(file);
  }

  close(file: FileHandle): void {
    closeSync(file);
  }

  rename(from: string, to: string): void {
    renameSync(this.#path(from), this.#path(to));
  }

  syncDirectory(): void {
    const directory = openSync(this.#directory, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  }

  remove(name: string): void {
    rmSync(this.#path(name), { force: true });
  }

  list(): string[] {
    return readdirSync(this.#directory);
  }

  ageMs(name: string): number {
    return systemWallTime() - lstatSync(this.#path(name)).mtimeMs;
  }

  open(name: string): { readonly file: FileHandle; readonly bytes: number } | undefined {
    const file = this.#openToRead(name);
    if (file === undefined) return undefined;
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) throw new UntrustedFile('it is not a regular file');
      if (stats.uid !== process.geteuid?.()) throw new UntrustedFile('it belongs to another user');
      if ((stats.mode & WRITABLE_BY_OTHERS) !== 0) throw new UntrustedFile('everybody may write it');
      return { file, bytes: stats.size };
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  read(file: FileHandle, into: Uint8Array, position: number): number {
    let at = 0;
    while (at < into.length) {
      const bytes = readSync(file, into, at, into.length - at, position + at);
      if (bytes === 0) break;
      at += bytes;
    }
    return at;
  }

  #openToRead(name: string): FileHandle | undefined {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    try {
      // A pipe must not block the thread.
      return openSync(this.#path(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      if (code === 'ELOOP') throw new UntrustedFile('it is a symbolic link');
      throw error;
    }
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}
