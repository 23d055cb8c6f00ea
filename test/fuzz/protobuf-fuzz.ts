import { SeededRandom } from '../support/time/seeded-random.js';
import type { Verdict } from './differential.js';
import type { FuzzOptions } from './fuzz.js';
import { mutated } from './mutations.js';
import { ProtobufDifferential } from './protobuf-differential.js';
import { type ProtobufItem, protobufEvent, protobufItems } from './protobuf-documents.js';

const PROGRESS_EVERY = 50_000;

/** New decoders after this many objects: those with full prediction tables no longer exercise the learning of steps. */
const DOCUMENTS_OF_DECODERS = 2000;

const TYPES = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'];

/** Decodes protobuf of every built-in kind with errors in it, as items and as watch frames. Throws at the first on which the decoders differ. */
export async function fuzzProtobuf(options: FuzzOptions): Promise<Record<Verdict, number>> {
  const { seed, count } = options;
  const items = protobufItems();
  const differentials = new Map<string, ProtobufDifferential>();
  const differentialOf = async ({ apiVersion, kind }: ProtobufItem): Promise<ProtobufDifferential> => {
    const id = `${apiVersion} ${kind}`;
    const differential = differentials.get(id) ?? (await ProtobufDifferential.open({ apiVersion, kind }));
    differentials.set(id, differential);
    return differential;
  };
  const verdicts = { accepted: 0, special: 0, invalid: 0 };
  for (let done = 1; done <= count; done++) {
    const random = new SeededRandom(seed + done);
    const document = random.pick(items);
    const differential = await differentialOf(document);
    try {
      // The errors are at places that the decoder predicts.
      differential.item(document.item);
      verdicts[tryOnce(differential, document, random.pick(items), random)]++;
    } catch (error) {
      const repeat = `npm run fuzz -- --documents 0 --mutations 0 --protobuf 1 --seed ${seed + done - 1}`;
      throw new Error(`the decoders differ on ${document.kind}; repeat it with: ${repeat}`, { cause: error });
    }
    if (done % PROGRESS_EVERY === 0 || done === count) {
      options.onProgress?.({ what: 'protobuf', done, count, verdicts });
    }
    if (done % DOCUMENTS_OF_DECODERS === 0) closeAll(differentials);
  }
  // The module is still intact: it accepts a valid object.
  const [first] = items as [ProtobufItem];
  if ((await differentialOf(first)).item(first.item) !== 'accepted') throw new Error('the module has failed');
  closeAll(differentials);
  return verdicts;
}

function closeAll(differentials: Map<string, ProtobufDifferential>): void {
  for (const differential of differentials.values()) differential.close();
  differentials.clear();
}

function tryOnce(
  differential: ProtobufDifferential,
  document: ProtobufItem,
  other: ProtobufItem,
  random: SeededRandom,
): Verdict {
  if (!random.chance(1 / 3)) return differential.item(damaged(document.item, other.item, random));
  const type = random.pick(TYPES);
  if (random.chance(1 / 2)) {
    return differential.event(protobufEvent(type, document, damaged(document.item, other.item, random)));
  }
  return differential.event(damaged(protobufEvent(type, document, document.item), other.item, random));
}

/** Most errors change a length, and are found at once; a single flipped bit gets further. */
function damaged(bytes: Buffer, other: Buffer, random: SeededRandom): Uint8Array {
  if (random.chance(1 / 2) || bytes.length === 0) return mutated(bytes, other, random);
  const flipped = Uint8Array.from(bytes);
  const at = random.between(0, flipped.length - 1);
  flipped[at] = (flipped[at] as number) ^ (1 << random.between(0, 7));
  return flipped;
}
