import { SeededRandom } from '../support/seeded-random.js';
import type { Verdict } from './differential.js';
import type { FuzzOptions } from './fuzz.js';
import { mutated } from './mutations.js';
import { ProtobufDifferential } from './protobuf-differential.js';
import { type ProtobufItem, protobufEvent, protobufItems } from './protobuf-documents.js';

const PROGRESS_EVERY = 50_000;

const TYPES = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'];

/** Objects of every built-in kind in protobuf, with faults in them: as items, and as frames of a watch. Throws at the first that the decoders do not agree on. */
export async function fuzzProtobuf(options: FuzzOptions): Promise<Record<Verdict, number>> {
  const { seed, count } = options;
  const items = protobufItems();
  const differentials = new Map<string, ProtobufDifferential>();
  for (const { apiVersion, kind } of items) {
    const id = `${apiVersion} ${kind}`;
    if (!differentials.has(id)) differentials.set(id, await ProtobufDifferential.open({ apiVersion, kind }));
  }
  const verdicts = { taken: 0, special: 0, invalid: 0 };
  for (let done = 1; done <= count; done++) {
    const random = new SeededRandom(seed + done);
    const document = random.pick(items);
    const differential = differentials.get(`${document.apiVersion} ${document.kind}`) as ProtobufDifferential;
    try {
      verdicts[tryOnce(differential, document, random.pick(items), random)]++;
    } catch (error) {
      const repeat = `npm run fuzz -- --documents 0 --mutations 0 --protobuf 1 --seed ${seed + done - 1}`;
      throw new Error(`the decoders differ on ${document.kind}; repeat it with: ${repeat}`, { cause: error });
    }
    if (done % PROGRESS_EVERY === 0 || done === count) {
      options.onProgress?.({ what: 'protobuf', done, count, verdicts });
    }
  }
  // The module is whole: it still takes what it has to.
  const [first] = items as [ProtobufItem];
  const last = differentials.get(`${first.apiVersion} ${first.kind}`) as ProtobufDifferential;
  if (last.item(first.item) !== 'taken') throw new Error('the module has failed');
  for (const differential of differentials.values()) differential.close();
  return verdicts;
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

/** Most faults shift lengths, and are found at once. One bit goes further. */
function damaged(bytes: Buffer, other: Buffer, random: SeededRandom): Uint8Array {
  if (random.chance(1 / 2) || bytes.length === 0) return mutated(bytes, other, random);
  const flipped = Uint8Array.from(bytes);
  const at = random.between(0, flipped.length - 1);
  flipped[at] = (flipped[at] as number) ^ (1 << random.between(0, 7));
  return flipped;
}
