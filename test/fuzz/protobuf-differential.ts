import { isDeepStrictEqual } from 'node:util';
import { CONTROLLER_UID_PATH } from '#dist/src/kube/owner-reference.js';
import type { DecodingOptions } from '#dist/src/wire/stream-task.js';
import { type Content, DecoderFixture } from '../support/workers/decoder-fixture.js';
import type { Verdict } from './differential.js';

/** Every feature of the header is used. */
const DECODING: Partial<DecodingOptions> = {
  drop: ['metadata.managedFields', 'spec.template.spec.volumes', "metadata.labels['dropped']"],
  indexPaths: [
    'spec.nodeName',
    'spec.containers.name',
    "metadata.labels['app']",
    'spec.replicas',
    'status.conditions.lastTransitionTime',
    'spec.ports.targetPort',
    CONTROLLER_UID_PATH,
  ],
};

/** Runs the WebAssembly module and the reference decoder on the same protobuf. */
export class ProtobufDifferential {
  readonly #reference: DecoderFixture;
  readonly #module: DecoderFixture;

  private constructor(reference: DecoderFixture, module: DecoderFixture) {
    this.#reference = reference;
    this.#module = module;
  }

  static async open(decoding: Partial<DecodingOptions>, depth = 100): Promise<ProtobufDifferential> {
    const options = { ...DECODING, ...decoding };
    const fixtures = new ProtobufDifferential(
      await DecoderFixture.open('json', options, depth, 'protobuf'),
      await DecoderFixture.open('simd', options, depth, 'protobuf'),
    );
    const head = { kind: `${options.kind}List`, apiVersion: options.apiVersion };
    fixtures.#reference.beginList(head);
    fixtures.#module.beginList(head);
    return fixtures;
  }

  close(): void {
    this.#reference.close();
    this.#module.close();
  }

  /** Throws if the decoders differ on this item. Returns the verdict of the module. */
  item(bytes: Uint8Array): Verdict {
    return this.#compare((fixture) => fixture.decodeItem(bytes));
  }

  event(bytes: Uint8Array): Verdict {
    const verdict = this.#compare((fixture) => fixture.decodeEvent(bytes));
    this.#watch(bytes);
    return verdict;
  }

  /** The same event twice in a watch, in two chunks: it must be decoded in runs as it is alone. */
  #watch(bytes: Uint8Array): void {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    const body = Buffer.concat([length, bytes, length, bytes]);
    const cut = (bytes.length * 31) % body.length;
    const alone = this.#reference.decodeWatch([body]).rows;
    const inRuns = this.#module.decodeWatch([body.subarray(0, cut), body.subarray(cut)]).rows;
    if (alone.length !== 2 || inRuns.length !== 2) throw new Error('a run has another number of rows');
    for (const [i, row] of inRuns.entries()) this.#compareContents(alone[i] as Content, row);
  }

  /** The result of the module's decoder. */
  objectOf(bytes: Uint8Array): unknown {
    return this.#module.objectOf(this.#module.decodeItem(bytes));
  }

  #compare(decode: (fixture: DecoderFixture) => Content): Verdict {
    const before = this.#module.delegated;
    const expected = decode(this.#reference);
    const received = decode(this.#module);
    const isTaken = this.#module.delegated === before;
    this.#compareContents(expected, received);
    if (!('payload' in expected))
      return 'type' in expected && expected.type === 'rejected' ? 'invalid' : 'special';
    return isTaken ? 'accepted' : 'special';
  }

  #compareContents(expected: Content, received: Content): void {
    if (!('payload' in expected) || !('payload' in received)) {
      if (!isDeepStrictEqual(expected, received)) {
        throw new Error(`the decoders give different rows: ${describe(expected)}, ${describe(received)}`);
      }
      return;
    }
    if (!isDeepStrictEqual(expected.header, received.header)) {
      throw new Error(
        `the headers differ: ${JSON.stringify(expected.header)}, ${JSON.stringify(received.header)}`,
      );
    }
    const [one, two] = [this.#reference.objectOf(expected), this.#module.objectOf(received)];
    if (!isDeepStrictEqual(one, two)) throw new Error('the objects differ');
  }
}

function describe(content: Content): string {
  return 'payload' in content ? 'an object' : JSON.stringify(content);
}
