/** A collection of an embedded server that several streams list while it changes. */

import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Engine, SharedInformer } from 'kubeflect';
import { expect } from 'vitest';
import { rangeOfShard } from '#dist/src/kube/sharding/hash-range.js';
import { uidSelector } from '#dist/src/kube/sharding/shard-selector.js';
import { CONFIG_MAPS, EngineFixture, Fold } from './engine-fixture.js';

const OBJECTS = 600;
/** Several per shard. */
export const PAGE_SIZE = 40;
export const STREAMS = 4;

/** As requests of the list of one shard have it. */
export function selectorOf(shard: number): string {
  return uidSelector([rangeOfShard(shard, STREAMS)]);
}

export class StreamedCollection {
  readonly world: EngineFixture;
  #churn: Churn | undefined;

  private constructor(world: EngineFixture) {
    this.world = world;
  }

  static async start(): Promise<StreamedCollection> {
    const world = await EngineFixture.start({ shardedListAndWatch: true, bookmarkIntervalMs: 100 });
    await world.server.populate({ kind: 'ConfigMap', count: OBJECTS, seed: 1 });
    return new StreamedCollection(world);
  }

  /** An informer, and changes of the collection until `follows`. */
  start({ url = this.world.server.url, list = 'auto' }: StartOptions = {}): Started {
    this.#churn = new Churn(this.world);
    const engine = this.world.engine({ connection: { server: url, headers: {} }, workers: 2 });
    const informer = engine.informer({ ...CONFIG_MAPS, pageSize: PAGE_SIZE, streams: STREAMS, list });
    const fold = new Fold();
    informer.addEventHandler({
      onAdd: (entry) => fold.onAdd(entry),
      onUpdate: (before, after) => fold.onUpdate(before, after),
      onDelete: (entry) => fold.onDelete(entry),
    });
    informer.start();
    return { engine, informer, fold, streams: () => engine.stats().informers[0]?.streams };
  }

  /** The cache is what the server has, and what the handler was told, after everything that was changed meanwhile. */
  async follows({ informer, fold }: Started): Promise<void> {
    await this.#churn?.end();
    expect(this.#churn?.changes).toBeGreaterThan(0);
    await this.world.converged(informer, CONFIG_MAPS);
    const told = (): string[] => [...fold.known].map((of) => of.join(' ')).sort();
    const cached = informer.lister.entries().map(({ key, resourceVersion }) => `${key} ${resourceVersion}`);
    await expect.poll(told).toEqual(cached.sort());
  }

  /** After each test. */
  async closeEngines(): Promise<void> {
    await this.#churn?.end();
    await this.world.closeEngines();
  }

  async close(): Promise<void> {
    await this.world.close();
  }
}

interface StartOptions {
  readonly url?: string;
  readonly list?: 'auto' | 'paged' | 'full';
}

interface Started {
  readonly engine: Engine;
  readonly informer: SharedInformer;
  readonly fold: Fold;
  readonly streams: () => ReturnType<Engine['stats']>['informers'][number]['streams'];
}

/** Creates, changes and deletes config maps, one after the other, until it is ended. */
class Churn {
  changes = 0;
  readonly #world: EngineFixture;
  readonly #prefix = `churn-${Math.random().toString(36).slice(2)}`;
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(world: EngineFixture) {
    this.#world = world;
    this.#running = this.#run();
  }

  /** Idempotent. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    const name = (i: number): string => `${this.#prefix}-${i}`;
    for (let i = 0; !this.#isOver; i++) {
      await this.#world.configMap(name(i));
      if (i >= 10) await this.#world.patchConfigMap(name(i - 10), { changed: String(i) });
      if (i >= 20) await this.#world.deleteConfigMap(name(i - 20));
      // Another object of the same name.
      if (i >= 20 && i % 3 === 0) await this.#world.configMap(name(i - 20));
      this.changes++;
    }
  }
}

/** A proxy before an API server that leaves this selector out of requests. */
export async function unfiltering(url: string, selector: string): Promise<{ url: string; close(): void }> {
  const server: Server = createServer((incoming, outgoing) => {
    const target = new URL(incoming.url ?? '/', url);
    if (target.searchParams.get('shardSelector') === selector) target.searchParams.delete('shardSelector');
    const forwarded = request(target, { method: incoming.method, headers: incoming.headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
