import type { Engine, InformerOptions, SharedInformer } from 'kubeflect';
import { expect } from 'vitest';
import { CONFIG_MAPS, digestOf, EngineFixture, Fold } from '../engine/engine-fixture.js';
import { fastClock } from '../time/fast-clock.js';

const OBJECTS = 20;
const PAGE = 10;

/** An informer of everything, and what its handler was told. */
export interface Mirror {
  readonly id: number | string;
  readonly informer: SharedInformer;
  readonly fold: Fold;
}

/**
 * A server with a small collection whose bodies are always of the same lengths, and informers that read it, each by requests that
 * can be told from those of the others: by faults, and in the server's log.
 */
export class ByteWorld {
  readonly world: EngineFixture;
  #states = 0;

  private constructor(world: EngineFixture) {
    this.world = world;
  }

  static async start(): Promise<ByteWorld> {
    // Bookmarks come by time, so there are none.
    const bytes = new ByteWorld(await EngineFixture.start({ bookmarkIntervalMs: 3_600_000 }));
    for (let i = 0; i < OBJECTS; i++) await bytes.world.configMap(nameOf(i), bytes.#data());
    return bytes;
  }

  /** One that does not wait, and takes nobody for dead. */
  engine(): Engine {
    return this.world.engine({
      workers: 2,
      advanced: { clock: fastClock(50), heartbeatTimeoutMs: 3_600_000 },
    });
  }

  mirrors(ids: readonly (number | string)[], options: Partial<InformerOptions>): Mirror[] {
    const engine = this.engine();
    return ids.map((id) => {
      const labelSelector = selectorOf(id);
      const informer = engine.informer({ ...CONFIG_MAPS, labelSelector, pageSize: PAGE, ...options });
      const fold = new Fold();
      informer.addEventHandler(fold);
      return { id, informer, fold };
    });
  }

  /** Starts all, lets the script happen if there is one, and waits until everybody has and was told what the server has. */
  async live(mirrors: readonly Mirror[], play?: () => Promise<void>): Promise<void> {
    for (const { informer } of mirrors) informer.start();
    await Promise.all(mirrors.map(({ informer }) => informer.synced));
    await play?.();
    const { digest } = await this.world.server.digest({ apiVersion: 'v1', kind: 'ConfigMap' });
    const isDone = ({ informer, fold }: Mirror): boolean =>
      digestOf(informer).digest === digest && fold.equals(informer);
    await expect
      .poll(() => mirrors.filter((mirror) => !isDone(mirror)).map(({ id }) => id), { timeout: 20_000 })
      .toEqual([]);
  }

  /** Twenty events, after which there are as many objects as before. */
  readonly script = async (): Promise<void> => {
    const { world } = this;
    for (let i = 0; i < 8; i++) await world.patchConfigMap(nameOf(i), this.#data());
    for (let i = 0; i < 6; i++) await world.deleteConfigMap(nameOf(i));
    for (let i = 0; i < 6; i++) await world.configMap(nameOf(i), this.#data());
  };

  async lastRequest(): Promise<number> {
    return (await this.world.server.counters()).requests;
  }

  /** What a splitter could take for the end of something, and characters of two, three and four bytes. Never the same, always of one length. */
  #data(): Record<string, string> {
    return {
      ends: `}]},{"\\" \n ${String(this.#states++).padStart(6, '0')}`,
      wide: 'é€😀'.repeat(8),
      event: '{"type":"DELETED"}\u0000\ud800',
    };
  }
}

/** Matches everything. */
export const selectorOf = (id: number | string): string => `informer!=${id}`;

const nameOf = (i: number): string => `c${String(i).padStart(2, '0')}`;
