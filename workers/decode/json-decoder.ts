import { isUtf8 } from 'node:buffer';
import type { ListHead } from '../split/item-splitter.js';
import { ValueScanner } from '../split/value-scanner.js';
import { asciiJson } from './ascii-json.js';
import type { Decoded, Decoder } from './decoder.js';
import { ObjectDecoder, type ObjectDecoderOptions } from './object-decoder.js';
import { type RejectedRow, rejectUnparsed } from './rejected-object.js';

export interface JsonDecoderOptions extends ObjectDecoderOptions {
  /** See `StreamLimits`. */
  readonly depth: number;
}

/** The reference decoder for JSON: JSON.parse, then everything else on the object. */
export class JsonDecoder implements Decoder {
  readonly #depth: number;
  readonly #objects: ObjectDecoder;
  readonly #scanner = new ValueScanner();

  constructor(options: JsonDecoderOptions) {
    this.#depth = options.depth;
    this.#objects = new ObjectDecoder(options);
  }

  beginList(head: ListHead): void {
    this.#objects.beginList(head);
  }

  decodeItem(bytes: Uint8Array, depth: number = this.#depthOf(bytes)): Decoded {
    const item = this.#parse(bytes, depth, 'item');
    return item instanceof Unparsed ? item.row : this.#objects.item(item);
  }

  decodeEvent(bytes: Uint8Array): Decoded {
    // The event adds one level.
    const event = this.#parse(bytes, this.#depthOf(bytes) - 1, 'event');
    return event instanceof Unparsed ? event.row : this.#objects.event(event);
  }

  #depthOf(bytes: Uint8Array): number {
    // Each level needs two bytes.
    if (bytes.length <= this.#depth * 2) return 0;
    this.#scanner.reset();
    this.#scanner.scan(bytes, 0);
    return this.#scanner.maxDepth;
  }

  #parse(bytes: Uint8Array, depth: number, document: 'item' | 'event'): unknown {
    if (depth > this.#depth) {
      const message = `the object is nested deeper than ${this.#depth} levels`;
      return new Unparsed(rejectUnparsed(message, bytes, document));
    }
    if (!isUtf8(bytes)) {
      return new Unparsed(rejectUnparsed('the object is not valid UTF-8', bytes, document));
    }
    try {
      return JSON.parse(asciiJson(bytes));
    } catch {
      // V8's own message quotes the object.
      return new Unparsed(rejectUnparsed('the object is not valid JSON', bytes, document));
    }
  }
}

/** Returned by `#parse` instead of a value. A class, so that no JSON value can be mistaken for it. */
class Unparsed {
  readonly row: RejectedRow;

  constructor(row: RejectedRow) {
    this.row = row;
  }
}
