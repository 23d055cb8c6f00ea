import { constants, crc32, gzipSync } from 'node:zlib';
import { GZIP_OPTIONS } from '../responses/body.js';
import type { EventEncoder, EventType } from '../responses/event-encoder.js';
import type { ResponseWriter } from '../responses/response-writer.js';
import type { StoredObject } from '../storage/stored-object.js';
import { checkOutBuffer, releaseBuffer, SLICE_BYTES } from './buffer-pool.js';

/** Below this, copying is cheaper than handing the whole buffer to the socket. */
const COPIED_BYTES = 32 * 1024;

/** Collects watch events for one write, in a buffer that is reused once the kernel has taken its bytes. */
export class EventBuffer {
  readonly #writer: ResponseWriter;
  readonly #encoder: EventEncoder;
  readonly #isCompressed: boolean;
  #buffer: Buffer | undefined;
  /** Passed to the socket by an earlier write, which may still read from it. */
  #inFlight: Buffer | undefined;
  #length = 0;

  /** Compressed, each write is a gzip member of its own, as in kube-apiserver. */
  constructor(writer: ResponseWriter, encoder: EventEncoder, isCompressed: boolean) {
    this.#writer = writer;
    this.#encoder = encoder;
    this.#isCompressed = isCompressed;
  }

  get length(): number {
    return this.#length;
  }

  appendObject(type: EventType, object: StoredObject): void {
    const end =
      this.#encoder.writeObject(type, object, this.#current(), this.#length) ??
      this.#writeToNextBuffer(type, object);
    if (end === undefined) this.append(this.#encoder.object(type, object));
    else this.#length = end;
  }

  append(bytes: Buffer): void {
    if (this.#length + bytes.length > SLICE_BYTES) this.flush();
    if (bytes.length > SLICE_BYTES) this.#write(bytes);
    else this.#length += bytes.copy(this.#current(), this.#length);
  }

  flush(): void {
    const buffer = this.#buffer;
    if (buffer === undefined || this.#length === 0) return;
    const bytes = buffer.subarray(0, this.#length);
    this.#length = 0;
    if (this.#isCompressed) {
      this.#write(bytes);
      return;
    }
    if (bytes.length < COPIED_BYTES) {
      this.#write(Buffer.from(bytes));
      return;
    }
    this.#buffer = undefined;
    this.#inFlight = buffer;
    this.#write(bytes);
  }

  /** Flushes, and holds no buffer while there is nothing to send. */
  releaseIdle(): void {
    this.flush();
    if (this.#buffer !== undefined) releaseBuffer(this.#buffer);
    if (this.#inFlight !== undefined && this.#writer.isSent) releaseBuffer(this.#inFlight);
    this.#buffer = undefined;
    this.#inFlight = undefined;
  }

  #write(bytes: Buffer): void {
    this.#writer.write(this.#isCompressed ? gzipMember(bytes) : bytes);
  }

  #writeToNextBuffer(type: EventType, object: StoredObject): number | undefined {
    if (this.#length === 0) return undefined;
    this.flush();
    return this.#encoder.writeObject(type, object, this.#current(), 0);
  }

  #current(): Buffer {
    if (this.#buffer !== undefined) return this.#buffer;
    const isReusable = this.#inFlight !== undefined && this.#writer.isSent;
    this.#buffer = isReusable ? this.#inFlight : checkOutBuffer();
    this.#inFlight = undefined;
    return this.#buffer as Buffer;
  }
}

/** An empty last block of deflate. */
const LAST_BLOCK = Buffer.from([0x03, 0x00]);

/**
 * Flushed before its end, like those of kube-apiserver: Go's reader of several members returns what precedes a flush at
 * once, but what the last block completes only when the next member has begun.
 */
function gzipMember(bytes: Buffer): Buffer {
  const flushed = gzipSync(bytes, { ...GZIP_OPTIONS, finishFlush: constants.Z_SYNC_FLUSH });
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length % 2 ** 32, 4);
  return Buffer.concat([flushed, LAST_BLOCK, trailer]);
}
