import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine, SharedInformer } from 'kubeflect';
import type { FaultSpec } from 'kubeflect/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CONFIG_MAPS,
  type Collection,
  digestOf,
  EngineFixture,
  Fold,
  PODS,
} from '../support/engine/engine-fixture.js';
import { fastClock } from '../support/time/fast-clock.js';
import { SeededRandom } from '../support/time/seeded-random.js';

const CHAOS_MS = 20_000;
const NODES: Collection = { apiVersion: 'v1', kind: 'Node', plural: 'nodes' };
const INFORMERS: readonly Collection[] = [
  { ...PODS, pageSize: 200 } as Collection,
  { ...PODS, list: 'full' } as Collection,
  { ...PODS, list: 'stream' } as Collection,
  { ...PODS, metadataOnly: true } as Collection,
  NODES,
  CONFIG_MAPS,
];

let world: EngineFixture;

beforeEach(async () => {
  world = await EngineFixture.start({ run: 'process', bookmarkIntervalMs: 200, watchBufferEvents: 200 });
  await world.server.populate({
    kind: 'Pod',
    count: 2000,
    sizeBytes: 4000,
    churnPerSecond: 300,
    namespaces: 5,
  });
  await world.server.populate({ kind: 'Node', count: 50, churnPerSecond: 20 });
});
afterEach(() => world.close());

/** Random faults of threads, connections, responses, events, history, and of the main thread. */
class Chaos {
  readonly #random: SeededRandom;
  readonly #engine: Engine;
  kills = 0;
  faults = 0;

  constructor(seed: number, engine: Engine) {
    this.#random = new SeededRandom(seed);
    this.#engine = engine;
  }

  async run(ms: number): Promise<void> {
    for (const endMs = performance.now() + ms; performance.now() < endMs; ) {
      await this.#step(this.#random.next());
      // Faults at random times.
      await sleep(this.#random.between(0, 80));
    }
    await world.server.faults.clear();
    await world.server.stopChurn();
  }

  async #step(chance: number): Promise<void> {
    if (chance < 0.25) this.#kill();
    else if (chance < 0.7) await this.#fault();
    else if (chance < 0.75) await world.server.closeWatches();
    else if (chance < 0.78) await world.server.compact();
    else if (chance < 0.95) await this.#change();
    else this.#block(this.#random.between(1, 200));
  }

  #kill(): void {
    this.kills++;
    void this.#random.pick(this.#engine.threads)?.terminate();
  }

  async #fault(): Promise<void> {
    this.faults++;
    const verb = this.#random.pick(['list', 'watch', undefined] as const);
    const spec: FaultSpec = { fault: this.#anyFault(), count: this.#random.between(1, 3) };
    await world.server.faults.add(verb === undefined ? spec : { ...spec, match: { verb } });
  }

  #anyFault(): FaultSpec['fault'] {
    const random = this.#random;
    const afterBytes = random.between(1, 200_000);
    const nth = random.between(0, 50);
    return random.pick<FaultSpec['fault']>([
      { type: 'cut', afterBytes },
      { type: 'reset', afterBytes },
      { type: 'end', afterBytes },
      { type: 'status', code: random.pick([401, 403, 410, 429, 500, 503, 504]) },
      { type: 'plainText', code: 503 },
      { type: 'refuse', forMs: random.between(0, 200) },
      { type: 'delay', ms: random.between(0, 300) },
      { type: 'chunks', sizes: [random.between(1, 3000)] },
      { type: 'duplicateEvents' },
      { type: 'staleEvents' },
      { type: 'dropBookmarks' },
      { type: 'expireHistory' },
      { type: 'expireContinue' },
      { type: 'closeAfterEvents', events: random.between(0, 30) },
      { type: 'errorEvent', code: random.pick([410, 429, 500]), afterEvents: random.between(0, 20) },
      { type: 'truncatedJson', nth },
      { type: 'invalidJson', nth },
      { type: 'wrongKind', nth },
    ]);
  }

  /** Errors are ignored: the object may exist already, or no longer. */
  async #change(): Promise<void> {
    const name = `c${this.#random.between(0, 30)}`;
    const data = { value: `${this.#random.next()}` };
    const change = this.#random.pick([
      () => world.configMap(name, data),
      () => world.patchConfigMap(name, data),
      () => world.deleteConfigMap(name),
    ]);
    await change().catch(() => {});
  }

  #block(ms: number): void {
    for (const endMs = performance.now() + ms; performance.now() < endMs; );
  }
}

/** The informers whose cache or handler differs from the server. */
async function differing(observed: readonly { informer: SharedInformer; fold: Fold }[]): Promise<string[]> {
  const names: string[] = [];
  for (const [i, { informer, fold }] of observed.entries()) {
    const { digest } = await world.server.digest(INFORMERS[i] ?? NODES);
    if (digestOf(informer).digest !== digest || !fold.equals(informer)) names.push(informer.name);
  }
  return names;
}

describe('informers under random faults', () => {
  it.each([1, 2, 3])(
    'every cache and every handler reaches the server’s state when the faults end (seed %i)',
    async (seed) => {
      const engine = world.engine({
        workers: 2,
        advanced: { clock: fastClock(10), heartbeatTimeoutMs: 100_000 },
      });
      const observed = INFORMERS.map((options) => {
        const informer = engine.informer(options);
        const fold = new Fold();
        informer.addEventHandler(fold);
        informer.start();
        return { informer, fold };
      });
      const chaos = new Chaos(seed, engine);
      await chaos.run(CHAOS_MS);
      await expect.poll(() => differing(observed), { interval: 200, timeout: 120_000 }).toEqual([]);
      expect(chaos.kills).toBeGreaterThan(10);
      expect(chaos.faults).toBeGreaterThan(20);
      // Handlers throw on an impossible order of notifications.
      expect(world.errors.filter(({ code }) => code === 'KUBEFLECT_HANDLER_FAILED')).toEqual([]);
    },
    300_000,
  );
});
