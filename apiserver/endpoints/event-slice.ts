import type { EventEncoder, EventType } from '../responses/event-encoder.js';
import type { ResponseWriter } from '../responses/response-writer.js';
import type { StoredObject } from '../storage/stored-object.js';
import { giveMemory, SLICE_BYTES, takeMemory } from './slice-memory.js';

/** Below this a copy is cheaper than to lend the whole memory to the socket. */
const COPIED_BYTES = 32 * 1024;

/** The events of a watch that go out in one write, rendered into memory that serves again once the kernel has them. */
export class EventSlice {
  readonly #writer: ResponseWriter;
  readonly #encoder: EventEncoder;
  #memory: Buffer | undefined;
  /** Of an earlier write, and the socket may still look at it. */
  #lent: Buffer | undefined;
  #length = 0;

  constructor(writer: ResponseWriter, encoder: EventEncoder) {
    this.#writer = writer;
    this.#encoder = encoder;
  }

  get length(): number {
    return this.#length;
  }

  appendObject(type: EventType, object: StoredObject): void {
    const end =
      this.#encoder.writeObject(type, object, this.#take(), this.#length) ?? this.#intoNext(type, object);
    if (end === undefined) this.append(this.#encoder.object(type, object));
    else this.#length = end;
  }

  append(bytes: Buffer): void {
    if (this.#length + bytes.length > SLICE_BYTES) this.flush();
    if (bytes.length > SLICE_BYTES) this.#writer.write(bytes);
    else this.#length += bytes.copy(this.#take(), this.#length);
  }

  flush(): void {
    const memory = this.#memory;
    if (memory === undefined || this.#length === 0) return;
    const bytes = memory.subarray(0, this.#length);
    this.#length = 0;
    if (bytes.length < COPIED_BYTES) {
      this.#writer.write(Buffer.from(bytes));
      return;
    }
    this.#memory = undefined;
    this.#lent = memory;
    this.#writer.write(bytes);
  }

  /** Keeps no memory while there is nothing to send. */
  rest(): void {
    this.flush();
    if (this.#memory !== undefined) giveMemory(this.#memory);
    if (this.#lent !== undefined && this.#writer.isSent) giveMemory(this.#lent);
    this.#memory = undefined;
    this.#lent = undefined;
  }

  #intoNext(type: EventType, object: StoredObject): number | undefined {
    if (this.#length === 0) return undefined;
    this.flush();
    return this.#encoder.writeObject(type, object, this.#take(), 0);
  }

  #take(): Buffer {
    if (this.#memory !== undefined) return this.#memory;
    const isBack = this.#lent !== undefined && this.#writer.isSent;
    this.#memory = isBack ? this.#lent : takeMemory();
    this.#lent = undefined;
    return this.#memory as Buffer;
  }
}
