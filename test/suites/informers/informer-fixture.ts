/** The fixture of the informer suites: engines on the target, and comparison with an exact list. */

import { isDeepStrictEqual } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import {
  compareResourceVersion,
  Engine,
  type EngineOptions,
  type InformerOptions,
  type KubeflectError,
  type SharedInformer,
} from 'kubeflect';
import { expect } from 'vitest';
import type { InformerStats } from '#dist/src/engine/engine.js';
import { readConnection } from '../../conformance/harness/target.js';
import { Fold } from '../../support/engine/engine-fixture.js';
import { withoutNullTimes } from '../../support/objects/null-times.js';
import type { InformerTarget } from './informer-target.js';
import { RecordingProxy } from './recording-proxy.js';

/** Longer than any response or backoff takes if nothing is wrong; a restarted API server needs ten seconds. */
const PATIENCE_MS = 60_000;

const EXACT_PAGE = 500;

/** Enabled in every case: a streaming list that differs from a plain list of the same version is an error. */
const ADVANCED: InformerOptions['advanced'] = { reflector: { consistencyDetector: true } };

/** An informer, the state folded from its handler's notifications, and the path of its collection. */
export interface ObservedInformer {
  readonly engine: Engine;
  /** The current statistics of the informer. */
  readonly stats: () => InformerStats;
  readonly informer: SharedInformer;
  readonly fold: Fold;
  readonly path: string;
  readonly selectors: Readonly<Record<string, string>>;
  readonly metadataOnly: boolean;
}

export class InformerFixture<Target extends InformerTarget = InformerTarget> {
  readonly target: Target;
  /** Errors of all informers since the last `leave`. */
  readonly errors: KubeflectError[] = [];
  readonly #informers: SharedInformer[] = [];
  /** The engine of informers without a proxy. */
  #engine: Engine | undefined;
  /** The engines of informers with a proxy. */
  readonly #engines: Engine[] = [];
  readonly #proxies: RecordingProxy[] = [];

  constructor(target: Target) {
    this.target = target;
  }

  /** A proxy between the target and the informers that it is passed to. */
  async proxy(): Promise<RecordingProxy> {
    const proxy = await RecordingProxy.start(await readConnection(this.target.kubeConfig));
    this.#proxies.push(proxy);
    return proxy;
  }

  /** Starts an informer; with a proxy or snapshots, in an engine of its own. */
  start(
    options: InformerOptions & { readonly namespace?: string },
    via?: RecordingProxy,
    snapshot?: EngineOptions['snapshot'],
  ): ObservedInformer {
    const engine = this.#engineTo(via, snapshot);
    const informer = engine.informer({ ...options, advanced: { ...ADVANCED, ...options.advanced } });
    this.#informers.push(informer);
    const fold = new Fold();
    informer.addEventHandler(fold);
    informer.start();
    const { apiVersion, plural, namespace, labelSelector, fieldSelector } = options;
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    return {
      engine,
      stats: () => engine.stats().informers.find(({ name }) => name === informer.name)!,
      informer,
      fold,
      path: `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`,
      metadataOnly: options.metadataOnly ?? false,
      selectors: { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) },
    };
  }

  /** Waits until the informer has reached this version of its collection. */
  async caughtUp(
    { informer }: ObservedInformer,
    resourceVersion: string,
    timeoutMs = PATIENCE_MS,
  ): Promise<void> {
    await expect
      .poll(() => compareResourceVersion(informer.lastStoreSyncResourceVersion, resourceVersion) ?? -1, {
        timeout: timeoutMs,
        message: `the informer's version to reach ${resourceVersion}`,
      })
      .toBeGreaterThanOrEqual(0);
  }

  /** Compares the cache, object by object, with a list at exactly its version, and its handler's state with the cache. */
  async expectExact({ informer, fold, path, selectors, metadataOnly }: ObservedInformer): Promise<number> {
    const version = informer.lastStoreSyncResourceVersion;
    const cached = new Map(informer.lister.entries().map((entry) => [entry.key as string, entry]));
    const size = cached.size;
    let token = '';
    do {
      const at =
        token === '' ? { resourceVersion: version, resourceVersionMatch: 'Exact' } : { continue: token };
      const answer = await this.target.api.get(path, { limit: EXACT_PAGE, ...selectors, ...at });
      if (answer.status !== 200) throw new Error(`no exact list at ${version}: ${answer.text}`);
      const { kind, apiVersion, items, metadata } = answer.json;
      for (const item of items) {
        const { name, namespace } = item.metadata;
        const key = namespace === undefined ? name : `${namespace}/${name}`;
        const { managedFields: _, ...kept } = item.metadata;
        const content = metadataOnly ? {} : item;
        const expected = { kind: kind.replace(/List$/, ''), apiVersion, ...content, metadata: kept };
        const object = cached.get(key)?.object;
        // Compared first without expect, which is slow; the assertion prints the difference.
        const isSame = [expected, withoutNullTimes(expected)].some((each) => isDeepStrictEqual(object, each));
        if (!isSame) expect(object, `${key} at ${version}`).toEqual(expected);
        cached.delete(key);
      }
      token = metadata.continue ?? '';
    } while (token !== '');
    expect([...cached.keys()], `cached, but not on the server at ${version}`).toEqual([]);
    await expect.poll(() => fold.equals(informer), { timeout: PATIENCE_MS }).toBe(true);
    return size;
  }

  #engineTo(via: RecordingProxy | undefined, snapshot: EngineOptions['snapshot']): Engine {
    const isShared = via === undefined && snapshot === undefined;
    if (isShared && this.#engine !== undefined) return this.#engine;
    const onError = (error: KubeflectError): void => {
      // Depends on the machine, not on the informer.
      if (error.code !== 'KUBEFLECT_HANDLER_SLOW') this.errors.push(error);
    };
    const kubeConfig = this.#kubeConfig(via);
    const engine = new Engine({ kubeConfig, workers: 1, onError, ...(snapshot && { snapshot }) });
    if (isShared) this.#engine = engine;
    else this.#engines.push(engine);
    return engine;
  }

  #kubeConfig(via: RecordingProxy | undefined): KubeConfig {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(this.target.kubeConfig);
    const cluster = kubeConfig.getCurrentCluster();
    const user = kubeConfig.getCurrentUser();
    if (via !== undefined && cluster !== null && user !== null) {
      kubeConfig.loadFromClusterAndUser({ ...cluster, server: via.url }, user);
    }
    return kubeConfig;
  }

  /** Closes everything, after the last case. */
  async close(): Promise<void> {
    await this.leave();
    await this.#engine?.close();
    await this.target.close();
  }

  /** Closes what a case has opened, and checks its errors. */
  async leave(): Promise<void> {
    await Promise.all(this.#informers.splice(0).map((informer) => informer.stop()));
    await Promise.all(this.#engines.splice(0).map((engine) => engine.close()));
    await Promise.all(this.#proxies.splice(0).map((proxy) => proxy.close()));
    const errors = this.errors.splice(0);
    expect(errors.flatMap(codes), 'the consistency detector').not.toContain('KUBEFLECT_INCONSISTENT_LIST');
  }
}

function codes(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return [String((error as { code?: unknown }).code), ...codes(error.cause)];
}
