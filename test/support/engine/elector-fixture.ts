import { LeaderElector, type LeaderElectorOptions } from 'kubeflect/controller';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { EngineFixture } from './engine-fixture.js';

/** client-go's, but for the period: tests need not wait, and a busy machine loses no term. */
const TIMES = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 200 } as const;

/** For terms that are to be lost. */
export const SHORT_TIMES = { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 200 } as const;

export interface LeaseObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly uid: string };
  readonly spec: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

export function leaseRef(name: string): {
  apiVersion: string;
  kind: string;
  name: string;
  namespace: string;
} {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name, namespace: 'default' };
}

/** Electors with engines of their own, as in different processes, on one server for the tests of a file. */
export class ElectorFixture {
  #world: EngineFixture | undefined;
  readonly #electors: LeaderElector[] = [];

  private constructor() {
    beforeAll(async () => {
      this.#world = await EngineFixture.start();
    });
    afterAll(() => this.#world?.close());
    afterEach(async () => {
      await Promise.all(this.#electors.splice(0).map((elector) => elector.stop()));
      await this.world.closeEngines();
    });
  }

  /** To be called at the top of the file. */
  static forFile(): ElectorFixture {
    return new ElectorFixture();
  }

  get world(): EngineFixture {
    if (this.#world === undefined) throw new Error('the server has not been started');
    return this.#world;
  }

  /** Not started. */
  elector(name: string, options: Partial<LeaderElectorOptions> = {}): LeaderElector {
    const elector = new LeaderElector({
      engine: options.engine ?? this.world.engine(),
      name,
      namespace: 'default',
      onError: (error) => void this.world.errors.push(error),
      ...TIMES,
      ...options,
    });
    this.#electors.push(elector);
    return elector;
  }

  async lease(name: string): Promise<LeaseObject | undefined> {
    return (await this.world.server.get(leaseRef(name))) as LeaseObject | undefined;
  }
}
