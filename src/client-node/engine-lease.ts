import { Engine } from '../engine/engine.js';
import type { EngineOptions } from '../engine/engine-options.js';

/** client-node's KubeConfig, by structure. */
export type KubeConfigLike = NonNullable<EngineOptions['kubeConfig']>;

interface SharedEngine {
  readonly engine: Engine;
  readonly cluster: unknown;
  readonly user: unknown;
  holders: number;
}

const engines = new WeakMap<KubeConfigLike, SharedEngine[]>();

/**
 * The engine of a running informer. Informers of one KubeConfig with the same current cluster and user share an
 * engine.
 */
export class EngineLease {
  readonly engine: Engine;
  #release: (() => Promise<void>) | undefined;

  private constructor(engine: Engine, release: () => Promise<void>) {
    this.engine = engine;
    this.#release = release;
  }

  /** Throws `KUBEFLECT_OPTION_INVALID` for a KubeConfig without a usable cluster. */
  static take(kubeConfig: KubeConfigLike): EngineLease {
    const all = engines.get(kubeConfig) ?? [];
    engines.set(kubeConfig, all);
    // Read each time, as client-node reads them for each request.
    const cluster = kubeConfig.getCurrentCluster();
    const user = kubeConfig.getCurrentUser();
    let shared = all.find((one) => one.cluster === cluster && one.user === user);
    if (shared === undefined) {
      shared = { engine: new Engine({ kubeConfig }), cluster, user, holders: 0 };
      all.push(shared);
    }
    const used = shared;
    used.holders++;
    return new EngineLease(used.engine, async () => {
      used.holders--;
      if (used.holders > 0) return;
      all.splice(all.indexOf(used), 1);
      await used.engine.close();
    });
  }

  /** Closes the engine if no other informer uses it. */
  async release(): Promise<void> {
    const release = this.#release;
    this.#release = undefined;
    await release?.();
  }
}
