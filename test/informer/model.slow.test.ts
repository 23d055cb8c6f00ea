import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type HandlerKind, InformerWorld, NAMES } from '../support/informer/informer-model.js';

/** More by hand: SEQUENCES=100000 npx vitest run --project fast test/informer/model.slow.test.ts */
const SEQUENCES = Number(process.env['SEQUENCES'] ?? 10_000);

interface Model {
  readonly reached: Set<string>;
}

class Step implements fc.AsyncCommand<Model, InformerWorld> {
  readonly #name: string;
  readonly #act: (world: InformerWorld) => void | Promise<void>;

  constructor(name: string, act: (world: InformerWorld) => void | Promise<void>) {
    this.#name = name;
    this.#act = act;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, world: InformerWorld): Promise<void> {
    model.reached.add(this.#name.split(' ')[0] ?? '');
    await this.#act(world);
    world.check();
    const { handlers } = world.h.informer.health();
    if (handlers.some((handler) => handler.isMerging)) model.reached.add('(merging)');
    if (handlers.some((handler) => handler.pending > NAMES.length)) model.reached.add('(behind)');
  }

  toString(): string {
    return this.#name;
  }
}

const name = fc.constantFrom(...NAMES);
const count = fc.integer({ min: 1, max: 6 });
const kind = fc.constantFrom<HandlerKind>('plain', 'throwing', 'async', 'hanging');

const step = (label: string, act: (world: InformerWorld) => void | Promise<void>): fc.Arbitrary<Step> =>
  fc.constant(new Step(label, act));

const write = name.map((n) => new Step(`write ${n}`, ({ server }) => server.write(n)));
const remove = name.map((n) => new Step(`remove ${n}`, ({ server }) => server.remove(n)));
const recreate = name.map(
  (n) =>
    new Step(`recreate ${n}`, ({ server }) => {
      server.remove(n);
      server.write(n);
    }),
);
const deliver = count.map(
  (n) =>
    new Step(`deliver ${n}`, (world) => {
      if (world.hasListed) world.deliver(n);
    }),
);
const redeliver = count.map((n) => new Step(`redeliver ${n}`, (world) => world.redeliver(n)));
const turns = count.map(
  (n) =>
    new Step(`turns ${n}`, async ({ h }) => {
      for (let i = 0; i < n; i++) {
        await h.clock.flush();
        if (!h.clock.turn()) break;
      }
    }),
);
const relist = step('relist', (world) => world.relist());
const bookmark = step('bookmark', (world) => {
  const isUpToDate = world.delivered === world.server.log.length;
  if (world.hasListed && isUpToDate) world.h.store.bookmark?.(String(world.server.version));
});
const resync = step('resync', async ({ h }) => {
  await h.clock.advance(1000);
  if (h.context.shouldResync()) h.store.resync();
});
const drain = step('drain', ({ h }) => h.clock.drain());
const addHandler = kind.map((k) => new Step(`add-handler ${k}`, (world) => world.addHandler(k)));
const removeHandler = fc
  .tuple(count, fc.boolean())
  .map(
    ([i, isDrained]) =>
      new Step(`remove-handler ${i} ${isDrained}`, (world) => world.removeHandler(i, isDrained)),
  );
const release = step('release', (world) => world.release());
const addIndexers = step('add-indexers', ({ h }) => {
  if (!h.informer.indexer.indexerNames().includes('byUid')) {
    // Asked for twice before it is there, the second is a conflict.
    h.informer.addIndexers({ byUid: (e) => [e.uid] }).catch(() => {});
  }
});

it('S1-S4, S8-S16, S19, S20, S24, L1, L2, L4: the informer agrees with a plain Map through 10,000 random histories', async () => {
  const reached = new Set<string>();
  let calls = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 0, max: 6 }),
      fc.commands(
        [
          write,
          write,
          write,
          remove,
          recreate,
          deliver,
          deliver,
          turns,
          turns,
          turns,
          relist,
          redeliver,
          bookmark,
          resync,
          drain,
          addHandler,
          removeHandler,
          release,
          addIndexers,
        ],
        { maxCommands: 60, size: 'max' },
      ),
      async (itemsPerSlice, mergeAbove, commands) => {
        const world = new InformerWorld({ itemsPerSlice, mergeAbove });
        await fc.asyncModelRun(() => ({ model: { reached }, real: world }), commands);
        await world.finish();
        calls += world.calls;
      },
    ),
    { numRuns: SEQUENCES, seed: 20_261_101 },
  );
  // Every kind of step was taken, and handlers really were called.
  expect([...reached].sort()).toEqual([
    '(behind)',
    '(merging)',
    'add-handler',
    'add-indexers',
    'bookmark',
    'deliver',
    'drain',
    'recreate',
    'redeliver',
    'release',
    'relist',
    'remove',
    'remove-handler',
    'resync',
    'turns',
    'write',
  ]);
  expect(calls).toBeGreaterThan(SEQUENCES * 5);
}, 300_000);
