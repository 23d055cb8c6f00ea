import { isDeepStrictEqual } from 'node:util';
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
    return this.#compare((fixture) => fixture.decodeEvent(bytes));
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
    if (!('payload' in expected) || !('payload' in received)) {
      if (!isDeepStrictEqual(expected, received)) {
        throw new Error(`the decoders give different rows: ${describe(expected)}, ${describe(received)}`);
      }
      return 'type' in expected && expected.type === 'rejected' ? 'invalid' : 'special';
    }
    if (!isDeepStrictEqual(expected.header, received.header)) {
      throw new Error(
        `the headers differ: ${JSON.stringify(expected.header)}, ${JSON.stringify(received.header)}`,
      );
    }
    const [one, two] = [this.#reference.objectOf(expected), this.#module.objectOf(received)];
    if (!isDeepStrictEqual(one, two)) throw new Error('the objects differ');
    return isTaken ? 'accepted' : 'special';
  }
}

function describe(content: Content): string {
  return 'payload' in content ? 'an object' : JSON.stringify(content);
}
