import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyDelta } from '#dist/src/store/apply-delta.js';
import type { Entry } from '#dist/src/store/entry.js';
import { Indexer } from '#dist/src/store/indexer.js';
import type { Deltas } from '#dist/src/store/queue/delta.js';
import { DeltaFIFO, RequeueError } from '#dist/src/store/queue/delta-fifo.js';
import { entry, type Pod } from '../support/objects/entries.js';

const SEQUENCES = Number(process.env['SEQUENCES'] ?? 10_000);
const NAMES = ['a', 'b', 'c', 'd'] as const;

/** The model: the collection on the server, and how far the queue was told of it. */
class Server {
  readonly state = new Map<string, Entry<Pod>>();
  version = 1;
  reached = new Set<string>();
}

/** The real thing: a reflector's queue, its consumer's store, and a handler's view of it. */
class Consumer {
  readonly indexer = new Indexer<Pod>({ indexers: { byNode: 'spec.nodeName' } });
  readonly fifo = new DeltaFIFO<Pod>({ knownObjects: this.indexer });
  readonly fold = new Map<string, string>();
  readonly lastTaken = new Map<string, number>();

  process(deltas: Deltas<Pod>): void {
    for (const delta of deltas) {
      const { name } = delta.entry;
      const change = applyDelta(this.indexer, delta);
      if (typeof change === 'string') continue;
      const version = Number(change.entry.resourceVersion);
      expect(version, 'S4 per-key order').toBeGreaterThanOrEqual(this.lastTaken.get(name) ?? 0);
      this.lastTaken.set(name, version);
      if (change.type === 'add') expect(this.fold.has(name), 'S9 add while present').toBe(false);
      else expect(this.fold.has(name), 'S9 update or delete while absent').toBe(true);
      if (change.type === 'update') {
        expect(this.fold.get(name), 'S10 chained old values').toBe(change.before.resourceVersion);
      }
      if (change.type === 'delete') this.fold.delete(name);
      else this.fold.set(name, change.entry.resourceVersion);
    }
    const nodes = new Set(this.indexer.list().map((e) => e.object.spec?.nodeName));
    expect(new Set(this.indexer.listIndexFuncValues('byNode')), 'S16 index agreement').toEqual(nodes);
  }
}

type Command = fc.AsyncCommand<Server, Consumer>;

function command(label: string, run: (server: Server, consumer: Consumer) => void | Promise<void>): Command {
  return {
    check: () => true,
    run: async (server, consumer) => {
      server.reached.add(label.split(' ')[0] ?? '');
      await run(server, consumer);
      expect(consumer.fifo.length, 'S20 bounded memory').toBeLessThanOrEqual(NAMES.length);
    },
    toString: () => label,
  };
}

const name = fc.constantFrom(...NAMES);
const newState = (server: Server, n: string, uid: string): Entry<Pod> =>
  entry(n, ++server.version, { uid, nodeName: `node-${server.version % 3}` });

const write = fc.tuple(name, fc.boolean()).map(([n, isSeen]) =>
  command(`write ${n} ${isSeen}`, (server, { fifo }) => {
    const known = server.state.get(n);
    const written = newState(server, n, known?.uid ?? `uid-${server.version}`);
    server.state.set(n, written);
    // Changes that are not seen are found out by a relist.
    if (isSeen) fifo[known ? 'update' : 'add'](written);
  }),
);
const remove = fc.tuple(name, fc.boolean()).map(([n, isSeen]) =>
  command(`remove ${n} ${isSeen}`, (server, { fifo }) => {
    const known = server.state.get(n);
    if (known === undefined) return;
    server.state.delete(n);
    if (isSeen) fifo.delete(newState(server, n, known.uid));
  }),
);
const relist = fc.constant(
  command('relist', (server, { fifo }) => fifo.replace([...server.state.values()], String(++server.version))),
);
const resync = fc.constant(command('resync', (_server, { fifo }) => fifo.resync()));
const pop = fc.constant(
  command('pop', async (_server, consumer) => {
    if (consumer.fifo.length > 0) await consumer.fifo.pop((deltas) => consumer.process(deltas));
  }),
);
const popBatch = fc.integer({ min: 1, max: 3 }).map((limit) =>
  command(`pop-batch ${limit}`, async (_server, consumer) => {
    if (consumer.fifo.length === 0) return;
    await consumer.fifo.popBatch((batch) => {
      for (const deltas of batch) consumer.process(deltas);
    }, limit);
  }),
);
const requeue = fc.constant(
  command('requeue', async (_server, { fifo }) => {
    if (fifo.length === 0) return;
    await fifo.pop(() => {
      throw new RequeueError();
    });
  }),
);
/** A relist arrives while an item is being processed. */
const relistDuringPop = fc.constant(
  command('relist-during-pop', async (server, consumer) => {
    if (consumer.fifo.length === 0) return;
    await consumer.fifo.pop(async (deltas) => {
      consumer.fifo.replace([...server.state.values()], String(++server.version));
      await Promise.resolve();
      consumer.process(deltas);
    });
  }),
);

it('S4, S9, S10, S16, S20, L1, L4: DeltaFIFO and Indexer agree with a plain Map through 10,000 random histories', async () => {
  const reached = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.commands(
        [write, write, write, remove, relist, resync, pop, pop, popBatch, requeue, relistDuringPop],
        {
          maxCommands: 60,
          size: 'max',
        },
      ),
      async (commands) => {
        const server = new Server();
        server.reached = reached;
        const consumer = new Consumer();
        await fc.asyncModelRun(() => ({ model: server, real: consumer }), commands);
        consumer.fifo.replace([...server.state.values()], String(++server.version));
        while (consumer.fifo.length > 0) await consumer.fifo.pop((deltas) => consumer.process(deltas));
        const final = [...server.state].map(([n, e]) => [n, e.resourceVersion]).sort();
        expect([...consumer.fold].sort(), 'L1 convergence, L4 no lost delete').toEqual(final);
        expect(
          consumer.indexer
            .list()
            .map((e) => [e.name, e.resourceVersion])
            .sort(),
        ).toEqual(final);
        expect(consumer.fifo.hasSynced).toBe(true);
      },
    ),
    { numRuns: SEQUENCES, seed: 20_261_102 },
  );
  expect(reached.size).toBe(8);
}, 300_000);
