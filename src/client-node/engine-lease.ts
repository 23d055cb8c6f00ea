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

/** An engine for as long as an informer runs. Informers of one KubeConfig, with the same current cluster and user, share one. */
export class EngineLease {
  readonly engine: Engine;
  #release: (() => Promise<void>) | undefined;

  private constructor(engine: Engine, release: () => Promise<void>) {
    this.engine = engine;
    this.#release = release;
  }

  /** Throws `KUBEFLECT_OPTION_INVALID` for a KubeConfig that leads nowhere. */
  static take(kubeConfig: KubeConfigLike): EngineLease {
    const all = engines.get(kubeConfig) ?? [];
    engines.set(kubeConfig, all);
    // As client-node, which asks for them with each request.
    const cluster = kubeConfig.getCurrentCluster();
    const user = kubeConfig.getCurrentUser();
    let shared = all.find((one) => one.cluster === cluster && one.user === user);
    if (shared === undefined) {
      shared = { engine: new Engine({ kubeConfig }), cluster, user, holders: 0 };
      all.push(shared);
    }
    const own = shared;
    own.holders++;
    return new EngineLease(own.engine, async () => {
      own.holders--;
      if (own.holders > 0) return;
      all.splice(all.indexOf(own), 1);
      await own.engine.close();
    });
  }

  /** Closes the engine if nobody else holds it. */
  async release(): Promise<void> {
    const release = this.#release;
    this.#release = undefined;
    await release?.();
  }
}
