import { isDeepStrictEqual } from 'node:util';
import { CONTROLLER_UID_PATH } from '#dist/src/kube/owner-reference.js';
import type { DecodingOptions } from '#dist/src/wire/stream-task.js';
import { type Content, DecoderFixture } from '../support/workers/decoder-fixture.js';

/** The options of both decoders: every feature of the header is used. */
const DECODING: Partial<DecodingOptions> = {
  drop: ['metadata.managedFields', 'spec.dropped', 'spec.list.dropped', "metadata.labels['dropped']"],
  indexPaths: [
    'spec.nodeName',
    'spec.list.name',
    "metadata.labels['app']",
    'spec',
    'status.phase',
    CONTROLLER_UID_PATH,
    'metadata.ownerReferences.uid',
  ],
};

export type Verdict = 'accepted' | 'special' | 'invalid';

/**
 * Runs both decoders on the same documents. The verdict of the WebAssembly module itself is checked, not only that of the decoder
 * around it, which falls back to the reference decoder.
 */
export class Differential {
  readonly verdicts: Record<Verdict, number> = { accepted: 0, special: 0, invalid: 0 };
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

  /** Throws if the decoders differ on this item. Returns the verdict of the module. */
  item(document: Uint8Array): Verdict {
    const expected = this.#reference.decodeItem(document);
    this.#compare(expected, this.#simd.decodeItem(document));
    const isRejected = 'type' in expected && expected.type === 'rejected';
    // Larger documents are rejected before they are decoded.
    if (document.length > MAX_PIECE_BYTES) return this.#count(isRejected ? 'invalid' : 'accepted');
    return this.#count(this.#take(document, isRejected));
  }

  event(document: Uint8Array): Verdict {
    const before = this.#simd.delegated;
    const expected = this.#reference.decodeEvent(document);
    this.#compare(expected, this.#simd.decodeEvent(document));
    const isDelegated = this.#simd.delegated > before;
    this.#watch(document);
    if (!isDelegated) return this.#count('accepted');
    return this.#count('type' in expected && expected.type === 'rejected' ? 'invalid' : 'special');
  }

  #count(verdict: Verdict): Verdict {
    this.verdicts[verdict]++;
    return verdict;
  }

  /** The same item followed by more bytes: the module must find its end. */
  #take(document: Uint8Array, isRejected: boolean): Verdict {
    const { pieces } = this.#simd;
    pieces.load([document, BEHIND]);
    const start = document.findIndex((byte) => !WHITE_SPACE.has(byte));
    if (document[start] !== OPEN_BRACE) return 'invalid';
    const accepted = pieces.takeItems(start, ONE_ITEM, ONE_ITEM);
    if (accepted === 'special') return 'special';
    if (accepted === 'incomplete') {
      if (!isRejected) throw new Error('the module rejects what the reference decoder accepts');
      return 'invalid';
    }
    // The bytes that follow completed a truncated item.
    if (accepted.end > document.length) return 'invalid';
    const isAll = document.subarray(accepted.end).every((byte) => WHITE_SPACE.has(byte));
    if (isAll === isRejected)
      throw new Error('the module accepts what the reference decoder rejects, or a part of it');
    // The module found an earlier end of the item: the list splitter handles what follows.
    if (!isAll) this.item(document.subarray(0, accepted.end));
    return isAll ? 'accepted' : 'invalid';
  }

  /** The same event among others of a watch, in two chunks: it must be decoded in runs as it is alone. */
  #watch(document: Uint8Array): void {
    const body = Buffer.concat([NEIGHBOR, document, NEWLINE, NEIGHBOR]);
    const cut = (document.length * 31) % body.length;
    const alone = this.#reference.decodeWatch([body], { maxBytes: MAX_OBJECT_BYTES });
    const inRuns = this.#simd.decodeWatch([body.subarray(0, cut), body.subarray(cut)], {
      maxBytes: MAX_OBJECT_BYTES,
    });
    if (alone.rows.length !== inRuns.rows.length) throw new Error('a run has another number of rows');
    for (const [i, row] of inRuns.rows.entries()) this.#compare(alone.rows[i] as Content, row);
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
const MAX_OBJECT_BYTES = 16 * 1024 * 1024;
const OPEN_BRACE = 0x7b;
const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x0a, 0x0d, 0x09]);
const ONE_ITEM = 0xffffffff;
const BEHIND = Buffer.from(',{"metadata":{"name":"next"}}]}');
const NEWLINE = Buffer.from('\n');
const NEIGHBOR = Buffer.from(
  '{"type":"ADDED","object":{"metadata":{"name":"neighbor","resourceVersion":"1"}}}\n',
);
