/** An open file of a snapshot directory. */
export type FileHandle = number;

/**
 * The directory of snapshots, injected: a simulation crashes at each of these calls. All of them throw what Node's `fs`
 * throws, with `code`. Names are those of files in the directory.
 */
export interface SnapshotFiles {
  /** A new file that only this user can read. Fails if there is anything of this name. */
  create(name: string): FileHandle;
  /** Appends all bytes. */
  write(file: FileHandle, bytes: Uint8Array): void;
  /** What was written is on the disk. */
  sync(file: FileHandle): void;
  close(file: FileHandle): void;
  rename(from: string, to: string): void;
  /** Names that were created, renamed and removed are on the disk. */
  syncDirectory(): void;
  remove(name: string): void;
  list(): string[];
  /** How long ago the file was written, in milliseconds. */
  ageMs(name: string): number;
  /**
   * Opens a regular file for reading; undefined if there is none. Throws `UntrustedFile` for anything that is not a
   * file of this user alone.
   */
  open(name: string): { readonly file: FileHandle; readonly bytes: number } | undefined;
  /** Fills `into` from `position` on; returns how many bytes there were. */
  read(file: FileHandle, into: Uint8Array, position: number): number;
}

/** A file that another user may have written: a link, a device, another user's. */
export class UntrustedFile extends Error {}
