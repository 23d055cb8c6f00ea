import { isDeepStrictEqual } from 'node:util';
import type { DecodingOptions } from '#dist/src/wire/stream-task.js';
import { type Content, DecoderFixture } from '../support/workers/decoder-fixture.js';

/** How both decoders are set up: every feature of the header is used. */
const DECODING: Partial<DecodingOptions> = {
  drop: ['metadata.managedFields', 'spec.dropped', 'spec.list.dropped', "metadata.labels['dropped']"],
  indexPaths: ['spec.nodeName', 'spec.list.name', "metadata.labels['app']", 'spec', 'status.phase'],
};

export type Verdict = 'taken' | 'special' | 'invalid';

/**
 * Both decoders on the same documents. The module's own word is asked for, not only that of the decoder around it, which leaves to the
 * reference decoder what the module gives up.
 */
export class Differential {
  readonly verdicts: Record<Verdict, number> = { taken: 0, special: 0, invalid: 0 };
  readonly #reference: DecoderFixture;
  readonly #simd: DecoderFixture;

  private constructor(reference: DecoderFixture, simd: DecoderFixture) {
    this.#reference = reference;
    this.#simd = simd;
  }

  static async open(decoding: Partial<DecodingOptions> = {}, depth = 100): Promise<Differential> {
    const options = { ...DECODING, ...decoding };
    return new Differential(
      await DecoderFixture.open('json', options, depth),
      await DecoderFixture.open('simd', options, depth),
    );
  }

  close(): void {
    this.#reference.close();
    this.#simd.close();
  }

  beginList(head: Parameters<DecoderFixture['beginList']>[0]): void {
    this.#reference.beginList(head);
    this.#simd.beginList(head);
  }

  /** Throws if the decoders differ on this item. Returns what the module said. */
  item(document: Uint8Array): Verdict {
    const expected = this.#reference.decodeItem(document);
    this.#compare(expected, this.#simd.decodeItem(document));
    const isRejected = 'type' in expected && expected.type === 'rejected';
    // Larger ones are split off before they are decoded.
    if (document.length > MAX_PIECE_BYTES) return this.#count(isRejected ? 'invalid' : 'taken');
    return this.#count(this.#take(document, isRejected));
  }

  event(document: Uint8Array): Verdict {
    const before = this.#simd.delegated;
    const expected = this.#reference.decodeEvent(document);
    this.#compare(expected, this.#simd.decodeEvent(document));
    if (this.#simd.delegated === before) return this.#count('taken');
    return this.#count('type' in expected && expected.type === 'rejected' ? 'invalid' : 'special');
  }

  #count(verdict: Verdict): Verdict {
    this.verdicts[verdict]++;
    return verdict;
  }

  /** The same item in a piece that has more behind it: it must end where it ends. */
  #take(document: Uint8Array, isRejected: boolean): Verdict {
    const { pieces } = this.#simd;
    pieces.load([document, BEHIND]);
    const start = document.findIndex((byte) => !WHITE_SPACE.has(byte));
    if (document[start] !== OPEN_BRACE) return 'invalid';
    const taken = pieces.takeItems(start, ONE_ITEM, ONE_ITEM);
    if (taken === 'special') return 'special';
    if (taken === 'incomplete') {
      if (!isRejected) throw new Error('the module gives up as invalid what the reference decoder takes');
      return 'invalid';
    }
    // What follows has completed what was cut off.
    if (taken.end > document.length) return 'invalid';
    const isAll = document.subarray(taken.end).every((byte) => WHITE_SPACE.has(byte));
    if (isAll === isRejected)
      throw new Error('the module takes what the reference decoder rejects, or part of it');
    // The item ended early, as far as the module is concerned: what follows is the list's business.
    if (!isAll) this.item(document.subarray(0, taken.end));
    return isAll ? 'taken' : 'invalid';
  }

  #compare(expected: Content, received: Content): void {
    if (!('payload' in expected) || !('payload' in received)) {
      if (!isDeepStrictEqual(expected, received)) throw new Error('the decoders give different rows');
      return;
    }
    if (!isDeepStrictEqual(expected.header, received.header)) {
      throw new Error(
        `the headers differ: ${JSON.stringify(expected.header)}, ${JSON.stringify(received.header)}`,
      );
    }
    const [one, two] = [this.#reference.objectOf(expected), this.#simd.objectOf(received)];
    if (!isDeepStrictEqual(one, two)) throw new Error('the objects differ');
    if (JSON.stringify(one) !== JSON.stringify(two)) throw new Error('the order of keys differs');
  }
}

const MAX_PIECE_BYTES = 256 * 1024;
const OPEN_BRACE = 0x7b;
const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x0a, 0x0d, 0x09]);
const ONE_ITEM = 0xffffffff;
const BEHIND = Buffer.from(',{"metadata":{"name":"next"}}]}');
