import fc from 'fast-check';
import { SeededRandom } from '../support/time/seeded-random.js';
import { Differential, type Verdict } from './differential.js';
import { documents } from './documents.js';
import { mutated } from './mutations.js';
import { generatedDocuments, goldenDocuments, type RealDocument } from './real-documents.js';

export interface Progress {
  readonly what: string;
  readonly done: number;
  readonly count: number;
  readonly verdicts: Readonly<Record<Verdict, number>>;
}

export interface FuzzOptions {
  readonly seed: number;
  readonly count: number;
  readonly onProgress?: (progress: Progress) => void;
}

const PROGRESS_EVERY = 100_000;

/** Decodes random documents, as items and as events. Throws at the first on which the decoders differ. */
export async function fuzzDocuments(options: FuzzOptions): Promise<Differential['verdicts']> {
  const { seed, count } = options;
  const differential = await Differential.open();
  let done = 0;
  // In parts, since fast-check keeps memory for every run.
  for (let part = 0; part * PROGRESS_EVERY < count; part++) {
    fc.assert(
      fc.property(documents, (text) => {
        done++;
        differential.item(Buffer.from(text));
        differential.event(Buffer.from(eventOf(text, done)));
      }),
      { seed: seed + part, numRuns: Math.min(PROGRESS_EVERY, count - part * PROGRESS_EVERY) },
    );
    options.onProgress?.({ what: 'documents', done, count, verdicts: differential.verdicts });
  }
  differential.close();
  return differential.verdicts;
}

/** Decodes real documents with errors in them. */
export async function fuzzMutations(options: FuzzOptions): Promise<Differential['verdicts']> {
  const { seed, count } = options;
  const real = [...generatedDocuments(3), ...goldenDocuments()];
  const differentials = new Map<string, Differential>();
  for (const { apiVersion, kind } of real) {
    const id = `${apiVersion} ${kind}`;
    if (!differentials.has(id)) differentials.set(id, await Differential.open({ apiVersion, kind }));
  }
  const verdicts = { accepted: 0, special: 0, invalid: 0 };
  for (let done = 1; done <= count; done++) {
    const random = new SeededRandom(seed + done);
    const document = random.pick(real);
    const { apiVersion, kind } = document;
    const bytes = mutated(Buffer.from(document.json), Buffer.from(random.pick(real).json), random);
    const differential = differentials.get(`${apiVersion} ${kind}`) as Differential;
    try {
      const isEvent = random.chance(1 / 4);
      verdicts[isEvent ? differential.event(eventBytes(bytes)) : differential.item(bytes)]++;
    } catch (error) {
      throw new Error(describeFailure(document, seed + done), { cause: error });
    }
    if (done % PROGRESS_EVERY === 0 || done === count) {
      options.onProgress?.({ what: 'mutations', done, count, verdicts });
    }
  }
  for (const differential of differentials.values()) differential.close();
  return verdicts;
}

const TYPES = ['ADDED', 'MODIFIED', 'DELETED'];

function eventOf(object: string, number: number): string {
  const type = `"type":"${TYPES[number % TYPES.length]}"`;
  return number % 5 === 0 ? `{"object":${object},${type}}` : `{${type},"object":${object}}`;
}

function eventBytes(object: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from('{"type":"MODIFIED","object":'), object, Buffer.from('}')]);
}

function describeFailure({ name }: RealDocument, seed: number): string {
  return `the decoders differ on ${name}; repeat it with: npm run fuzz -- --documents 0 --mutations 1 --seed ${seed - 1}`;
}
