/** `npm run fuzz`: both decoders on random and on damaged documents. A failure prints how to repeat it. */

import { parseArgs } from 'node:util';
import { fuzzDocuments, fuzzMutations, type Progress } from './fuzz.js';
import { fuzzProtobuf } from './protobuf-fuzz.js';

const HELP = `usage: npm run fuzz -- [options]

  --documents N   random documents (default 1000000)
  --mutations N   damaged real documents (default 2000000)
  --protobuf N    damaged objects and frames in protobuf (default 200000)
  --seed N        the first seed (default: the time)`;

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '1000000' },
    mutations: { type: 'string', default: '2000000' },
    protobuf: { type: 'string', default: '200000' },
    seed: { type: 'string', default: String(Date.now() & 0x7fffffff) },
    help: { type: 'boolean', default: false },
  },
});

const numbers = [values.documents, values.mutations, values.protobuf, values.seed];
if (values.help || !numbers.every((text) => /^\d+$/.test(text))) {
  console.error(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  const seed = Number(values.seed);
  console.log(`seed ${seed}`);
  await fuzzDocuments({ seed, count: Number(values.documents), onProgress });
  await fuzzMutations({ seed, count: Number(values.mutations), onProgress });
  await fuzzProtobuf({ seed, count: Number(values.protobuf), onProgress });
}

function onProgress({ what, done, count, verdicts }: Progress): void {
  const parts = Object.entries(verdicts).map(([verdict, times]) => `${times} ${verdict}`);
  console.log(`${what}: ${done} of ${count} (${parts.join(', ')})`);
}
