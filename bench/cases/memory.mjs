/**
 * What a synced informer holds, and what is left of it when every object has changed in random order, several times over: whether
 * the store gives back what it no longer needs.
 *
 * The informer runs in a fresh process, the server in another. The result counts only if the cache has the server's count
 * and digest in the end, and nothing was listed again.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startApiServer } from 'kubeflect/testing';
import { Driven, expectEqual, INFORMER } from '../driven.mjs';

const PODS = { apiVersion: 'v1', kind: 'Pod' };

export async function memory(args) {
  const { values } = parseArgs({
    args,
    options: {
      objects: { type: 'string', default: '60000' },
      bytes: { type: 'string', default: '8200' },
      rounds: { type: 'string', default: '3' },
      'per-second': { type: 'string', default: '2000' },
      'most-growth': { type: 'string', default: '1.3' },
      workers: { type: 'string' },
    },
  });
  const objects = Number(values.objects);
  const rounds = Number(values.rounds);
  const server = await startApiServer({ run: 'process', requestTimeoutMs: 600_000 });
  const informer = new Driven(INFORMER);
  try {
    const shape = { sizeBytes: Number(values.bytes), managedFieldsShare: 0.26 };
    await server.populate({ kind: 'Pod', count: objects, ...shape });
    console.log(`node ${process.version}, ${cpus().length} cores, ${objects} pods of ${values.bytes} bytes`);
    console.log(`npm run bench -- memory ${args.join(' ')}`);
    await informer.ask('start', {
      kubeConfig: server.kubeConfig,
      ...(values.workers === undefined ? {} : { workers: Number(values.workers) }),
    });
    const before = await memoryOf(informer, server);
    print('after the sync', before, before);
    let last = before;
    for (let round = 1; round <= rounds; round++) {
      await server.updateEach(PODS, { perSecond: Number(values['per-second']) });
      last = await memoryOf(informer, server);
      print(`after update ${round} of each`, last, before);
    }
    await expectEqual(informer, server);
    if (last.relists > 0) throw new Error(`the collection was listed ${last.relists} times again`);
    const growth = last.rss / before.rss;
    const isBounded = growth <= Number(values['most-growth']);
    console.log(`${growth.toFixed(2)}x of the memory after the sync (at most ${values['most-growth']}x)`);
    if (!isBounded) process.exitCode = 1;
  } finally {
    await informer.end();
    await server.close();
  }
}

function print(when, memory, before) {
  const megabytes = (field) => `${(memory[field] / 2 ** 20).toFixed(0)} MB`;
  const fields = ['rss', 'heapUsed', 'heapTotal', 'external', 'arrayBuffers', 'bytes'];
  const cells = fields.map((field) => `${field} ${megabytes(field)}`);
  const ratio = (memory.rss / before.rss).toFixed(2);
  console.log(`${when}: ${cells.join(', ')}, ${memory.received} events, ${ratio}x`);
}

/** When it has applied everything that the server has. */
async function memoryOf(informer, server) {
  const { resourceVersion } = await server.digest(PODS);
  return informer.ask('memory', { resourceVersion });
}
