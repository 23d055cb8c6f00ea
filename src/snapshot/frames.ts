/**
 * The container of a snapshot: a preamble and frames. Numbers are big-endian.
 *
 *     preamble   0  "KFSNAP"                        frame   0  kind
 *                6  format version, 2 bytes                 4  bytes of the body
 *                8  flags: 1 if encrypted                   8  CRC-32, 4 bytes; encrypted: the tag, 16 bytes
 *               12  salt, 32 bytes                             body
 *               44  CRC-32 of the bytes before
 *
 * The checksum and the tag cover the number of the frame, its kind, its length and its body, so that no frame can be
 * damaged, left out, moved or exchanged. The last frame is the end mark, and nothing follows it.
 *
 * Encrypted bodies are AES-256-GCM. The key of a file is derived (HKDF-SHA-256) from the user's and the salt, which is
 * random, so that the number of a frame can be its nonce.
 */

import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { FileHandle, SnapshotFiles } from './snapshot-files.js';
import { broken, SnapshotRejection } from './snapshot-rejection.js';

export const FORMAT_VERSION = 1;
export const SALT_BYTES = 32;
export const KEY_BYTES = 32;

export const FRAME_HEADER = 1;
export const FRAME_DEFINITIONS = 2;
export const FRAME_CELLS = 3;
export const FRAME_END = 4;

const MAGIC = 'KFSNAP';
const ENCRYPTED = 1;
const PREAMBLE_BYTES = 48;
const CRC_BYTES = 4;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const CIPHER = 'aes-256-gcm';

export interface Frame {
  readonly kind: number;
  /** In shared memory, so that cells can be given to another thread as they are. */
  readonly body: SharedArrayBuffer;
}

/** Writes the frames of one file. */
export class FrameWriter {
  readonly #files: SnapshotFiles;
  readonly #file: FileHandle;
  readonly #key: Buffer | undefined;
  #frames = 0;
  #bytes = 0;

  /** @param salt random, of `SALT_BYTES` */
  constructor(files: SnapshotFiles, file: FileHandle, key: Uint8Array | undefined, salt: Uint8Array) {
    this.#files = files;
    this.#file = file;
    this.#key = key && fileKey(key, salt);
    const preamble = Buffer.alloc(PREAMBLE_BYTES);
    preamble.write(MAGIC, 0, 'latin1');
    preamble.writeUInt16BE(FORMAT_VERSION, 6);
    preamble.writeUInt32BE(key === undefined ? 0 : ENCRYPTED, 8);
    preamble.set(salt, 12);
    preamble.writeUInt32BE(crc32(preamble.subarray(0, 44)), 44);
    this.#write(preamble);
  }

  /** Bytes of the file so far. */
  get bytes(): number {
    return this.#bytes;
  }

  write(kind: number, body: Uint8Array): void {
    const covered = coveredHead(this.#frames, kind, body.length);
    const head = covered.subarray(4);
    if (this.#key === undefined) {
      const checksum = Buffer.alloc(CRC_BYTES);
      checksum.writeUInt32BE(crc32(body, crc32(covered)));
      this.#write(Buffer.concat([head, checksum]));
      this.#write(body);
    } else {
      const cipher = createCipheriv(CIPHER, this.#key, nonce(this.#frames), { authTagLength: TAG_BYTES });
      cipher.setAAD(covered);
      const sealed = Buffer.concat([cipher.update(body), cipher.final()]);
      this.#write(Buffer.concat([head, cipher.getAuthTag()]));
      this.#write(sealed);
    }
    this.#frames++;
  }

  #write(bytes: Uint8Array): void {
    this.#files.write(this.#file, bytes);
    this.#bytes += bytes.length;
  }
}

/** Reads the frames of one file, in order. Never allocates more than the file has. */
export class FrameReader {
  readonly #files: SnapshotFiles;
  readonly #file: FileHandle;
  readonly #size: number;
  readonly #key: Buffer | undefined;
  #frames = 0;
  #position = PREAMBLE_BYTES;

  /** Throws `SnapshotRejection`. */
  constructor(files: SnapshotFiles, file: FileHandle, size: number, key: Uint8Array | undefined) {
    this.#files = files;
    this.#file = file;
    this.#size = size;
    if (size < PREAMBLE_BYTES) throw broken('the file is too short');
    const preamble = Buffer.alloc(PREAMBLE_BYTES);
    this.#fill(preamble, 0);
    if (preamble.toString('latin1', 0, MAGIC.length) !== MAGIC) throw broken('the file is no snapshot');
    const version = preamble.readUInt16BE(6);
    if (version !== FORMAT_VERSION) {
      throw new SnapshotRejection('format', `its format is ${version}, expected ${FORMAT_VERSION}`);
    }
    if (preamble.readUInt32BE(44) !== crc32(preamble.subarray(0, 44)))
      throw broken('the preamble is damaged');
    const isEncrypted = preamble.readUInt32BE(8) === ENCRYPTED;
    if (isEncrypted !== (key !== undefined)) {
      throw new SnapshotRejection('key', isEncrypted ? 'it is encrypted' : 'it is not encrypted');
    }
    this.#key = key && fileKey(key, preamble.subarray(12, 12 + SALT_BYTES));
  }

  /** True if all bytes were read. */
  get isAtEnd(): boolean {
    return this.#position === this.#size;
  }

  /** Throws `SnapshotRejection` if there is no undamaged frame. */
  next(): Frame {
    const isEncrypted = this.#key !== undefined;
    const head = Buffer.alloc(8 + (isEncrypted ? TAG_BYTES : CRC_BYTES));
    if (this.#position + head.length > this.#size) throw broken('the file is truncated');
    this.#fill(head, this.#position);
    const kind = head.readUInt32BE(0);
    const length = head.readUInt32BE(4);
    const start = this.#position + head.length;
    if (start + length > this.#size) throw broken('the file is truncated, or a frame is damaged');
    const covered = coveredHead(this.#frames, kind, length);
    const body = new SharedArrayBuffer(length);
    const bytes = Buffer.from(body);
    if (this.#key === undefined) {
      this.#fill(bytes, start);
      if (crc32(bytes, crc32(covered)) !== head.readUInt32BE(8)) throw broken('a frame is damaged');
    } else {
      const sealed = Buffer.alloc(length);
      this.#fill(sealed, start);
      this.#open(sealed, covered, head.subarray(8), this.#key).copy(bytes);
    }
    this.#frames++;
    this.#position = start + length;
    return { kind, body };
  }

  #open(sealed: Uint8Array, covered: Uint8Array, tag: Uint8Array, key: Buffer): Buffer {
    const decipher = createDecipheriv(CIPHER, key, nonce(this.#frames), { authTagLength: TAG_BYTES });
    decipher.setAAD(covered);
    decipher.setAuthTag(tag);
    try {
      return Buffer.concat([decipher.update(sealed), decipher.final()]);
    } catch {
      // Of another key, or damaged: the first frame cannot tell.
      if (this.#frames === 0) throw new SnapshotRejection('key', 'it is of another key, or damaged');
      throw broken('a frame is damaged');
    }
  }

  #fill(into: Buffer, position: number): void {
    if (this.#files.read(this.#file, into, position) !== into.length) throw broken('the file is truncated');
  }
}

function coveredHead(frame: number, kind: number, length: number): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt32BE(frame, 0);
  head.writeUInt32BE(kind, 4);
  head.writeUInt32BE(length, 8);
  return head;
}

function nonce(frame: number): Buffer {
  const bytes = Buffer.alloc(NONCE_BYTES);
  bytes.writeUInt32BE(frame, NONCE_BYTES - 4);
  return bytes;
}

function fileKey(key: Uint8Array, salt: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, 'kubeflect snapshot', KEY_BYTES));
}
