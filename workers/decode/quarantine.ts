import { fingerprintOf, mark, unmark } from '../../src/wire/fingerprint.js';
import type { ListHead } from '../split/item-splitter.js';
import type { Decoded, Decoder } from './decoder.js';
import { type IdentityReader, rejectUnread } from './rejected-object.js';

const MESSAGE = 'workers have failed on this object again and again; it is left out until it changes';

/** Says in shared memory what it is working on, and leaves out the documents on which threads have died. */
export class QuarantiningDecoder implements Decoder {
  readonly #decoder: Decoder;
  readonly #marker: Int32Array;
  readonly #quarantine: ReadonlySet<string>;
  readonly #readJsonIdentity: IdentityReader | undefined;

  /** `readJsonIdentity` tells whose document was left out. @default that of JSON */
  constructor(
    decoder: Decoder,
    marker: Int32Array,
    quarantine: readonly string[],
    readJsonIdentity?: IdentityReader,
  ) {
    this.#decoder = decoder;
    this.#readJsonIdentity = readJsonIdentity;
    this.#marker = marker;
    this.#quarantine = new Set(quarantine);
  }

  beginList(head: ListHead): void {
    this.#decoder.beginList(head);
  }

  decodeItem(bytes: Uint8Array, depth?: number): Decoded {
    mark(this.#marker, bytes);
    const decoded = this.#isQuarantined()
      ? this.#reject(bytes, 'item')
      : this.#decoder.decodeItem(bytes, depth);
    unmark(this.#marker);
    return decoded;
  }

  decodeEvent(bytes: Uint8Array): Decoded {
    mark(this.#marker, bytes);
    const decoded = this.#isQuarantined() ? this.#reject(bytes, 'event') : this.#decoder.decodeEvent(bytes);
    unmark(this.#marker);
    return decoded;
  }

  #isQuarantined(): boolean {
    return this.#quarantine.size > 0 && this.#quarantine.has(fingerprintOf(this.#marker) ?? '');
  }

  /** By key, without parsing it. */
  #reject(bytes: Uint8Array, document: 'item' | 'event'): Decoded {
    return { ...rejectUnread(MESSAGE, bytes, document, this.#readJsonIdentity), reason: 'quarantined' };
  }
}
