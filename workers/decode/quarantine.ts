import { fingerprintOf, mark, unmark } from '../../src/wire/fingerprint.js';
import type { ListHead } from '../split/item-splitter.js';
import type { Decoded, Decoder } from './decoder.js';
import { type IdentityReader, rejectUnparsed } from './rejected-object.js';

const MESSAGE = 'workers have failed repeatedly on this object; it is skipped until it changes';

/**
 * Writes the fingerprint of each document to shared memory before decoding it, so that the pool learns on which
 * document a thread died; and rejects the documents that are in quarantine for that.
 */
export class QuarantiningDecoder implements Decoder {
  readonly #decoder: Decoder;
  readonly #marker: Int32Array;
  readonly #quarantine: ReadonlySet<string>;
  readonly #readIdentity: IdentityReader | undefined;

  /** `readIdentity` reads the key of a rejected document. @default that of JSON */
  constructor(
    decoder: Decoder,
    marker: Int32Array,
    quarantine: readonly string[],
    readIdentity?: IdentityReader,
  ) {
    this.#decoder = decoder;
    this.#readIdentity = readIdentity;
    this.#marker = marker;
    this.#quarantine = new Set(quarantine);
  }

  beginList(head: ListHead): void {
    this.#decoder.beginList(head);
  }

  decodeItem(bytes: Uint8Array, depth?: number): Decoded {
    mark(this.#marker, bytes);
    try {
      return this.#isQuarantined() ? this.#reject(bytes, 'item') : this.#decoder.decodeItem(bytes, depth);
    } finally {
      unmark(this.#marker);
    }
  }

  decodeEvent(bytes: Uint8Array): Decoded {
    mark(this.#marker, bytes);
    try {
      return this.#isQuarantined() ? this.#reject(bytes, 'event') : this.#decoder.decodeEvent(bytes);
    } finally {
      unmark(this.#marker);
    }
  }

  #isQuarantined(): boolean {
    return this.#quarantine.size > 0 && this.#quarantine.has(fingerprintOf(this.#marker) ?? '');
  }

  /** Rejects it by key, without parsing it. */
  #reject(bytes: Uint8Array, document: 'item' | 'event'): Decoded {
    return { ...rejectUnparsed(MESSAGE, bytes, document, this.#readIdentity), reason: 'quarantined' };
  }
}
