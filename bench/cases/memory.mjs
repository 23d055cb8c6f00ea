/**
 * What a synced informer holds, and what is left of it when every object has changed in random order, several times over: whether
 * the store gives back what it no longer needs.
 *
 * The informer runs in a fresh process, the server in another. The result counts only if the cache has the server's count
 * and digest in the end, and nothing was listed again.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startApiServer } from 'kubeflect/testing';

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
  let informer;
  try {
    const shape = { sizeBytes: Number(values.bytes), managedFieldsShare: 0.26 };
    await server.populate({ kind: 'Pod', count: objects, ...shape });
    console.log(`node ${process.version}, ${cpus().length} cores, ${objects} pods of ${values.bytes} bytes`);
    console.log(`npm run bench -- memory ${args.join(' ')}`);
    informer = await Informer.start({
      kubeConfig: server.kubeConfig,
      ...(values.workers === undefined ? {} : { workers: Number(values.workers) }),
    });
    const before = await informer.memory(server);
    print('after the sync', before, before);
    let last = before;
    for (let round = 1; round <= rounds; round++) {
      await server.updateEach(PODS, { perSecond: Number(values['per-second']) });
      last = await informer.memory(server);
      print(`after update ${round} of each`, last, before);
    }
    await check(await informer.ask('digest'), last, server);
    const growth = last.rss / before.rss;
    const isBounded = growth <= Number(values['most-growth']);
    console.log(`${growth.toFixed(2)}x of the memory after the sync (at most ${values['most-growth']}x)`);
    if (!isBounded) process.exitCode = 1;
  } finally {
    await informer?.end();
    await server.close();
  }
}

async function check({ count, digest }, { relists }, server) {
  const expected = await server.digest(PODS);
  if (count !== expected.count || digest !== expected.digest) {
    throw new Error(
      `the cache holds ${count} objects and another digest than the server's ${expected.count}`,
    );
  }
  if (relists > 0) throw new Error(`the collection was listed ${relists} times again`);
}

function print(when, memory, before) {
  const megabytes = (field) => `${(memory[field] / 2 ** 20).toFixed(0)} MB`;
  const fields = ['rss', 'heapUsed', 'heapTotal', 'external', 'arrayBuffers', 'bytes'];
  const cells = fields.map((field) => `${field} ${megabytes(field)}`);
  const ratio = (memory.rss / before.rss).toFixed(2);
  console.log(`${when}: ${cells.join(', ')}, ${memory.events} events, ${ratio}x`);
}

/** The informer's process. */
class Informer {
  #child;

  constructor(child) {
    this.#child = child;
  }

  static async start(task) {
    const file = new URL('../contenders/kubeflect-memory.mjs', import.meta.url);
    return new Informer(fork(file, [JSON.stringify(task)]));
  }

  /** When it has applied everything that the server has. */
  async memory(server) {
    const { resourceVersion } = await server.digest(PODS);
    return this.ask('memory', { resourceVersion });
  }

  async ask(ask, details = {}) {
    this.#child.send({ ask, ...details });
    const [answer] = await Promise.race([
      once(this.#child, 'message'),
      once(this.#child, 'exit').then(([code]) => {
        throw new Error(`the informer's process ended with ${code}`);
      }),
    ]);
    return answer;
  }

  async end() {
    if (!this.#child.connected) return;
    const exit = once(this.#child, 'exit');
    this.#child.send({ ask: 'end' });
    await exit;
  }
}
