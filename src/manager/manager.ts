import { type Controller, runController } from '../controller/controller.js';
import type { KubernetesObject } from '../kube/object.js';
import { LeaderElector } from '../leader-election/leader-elector.js';
import { onAbort } from '../util/abort.js';
import { settlesWithin, sleep, systemClock } from '../util/clock.js';
import { ErrorReporter } from '../util/error-reporter.js';
import { KubeflectError } from '../util/errors.js';
import { Latch } from '../util/latch.js';
import type { HealthCheck, HealthReport } from './health-report.js';
import { HealthServer } from './health-server.js';
import { leadershipAfterSync } from './leadership-after-sync.js';
import {
  type ManagedController,
  type ManagerOptions,
  type ResolvedManagerOptions,
  resolveManagerOptions,
} from './manager-options.js';
import { onProcessSignal } from './process-signals.js';
import { cacheChecks } from './readiness.js';

/** What the parts that are stopped last may take. */
const CLOSE_TIMEOUT_MS = 5_000;
/** How often it is looked whether caches have synced that belong to no controller. */
const SYNC_POLL_MS = 50;

/**
 * Runs controllers as a program of their own: starts the endpoints, the informers and the controllers, and stops them in
 * an orderly way at SIGTERM. Throws `KUBEFLECT_OPTION_INVALID`; everything else that goes wrong ends the manager.
 */
export function runManager<const T extends readonly KubernetesObject[]>(options: ManagerOptions<T>): Manager {
  return new Manager(resolveManagerOptions(options));
}

/** `starting` until every cache has synced; `failed` and `stopped` are the ends. */
export type ManagerState = 'starting' | 'running' | 'stopping' | 'stopped' | 'failed';

/** Running controllers, made by `runManager`. */
export class Manager {
  /** Empty until the endpoints listen. */
  readonly controllers: readonly Controller[];
  /** Undefined without `leaderElection`. */
  readonly leaderElector: LeaderElector | undefined;
  /**
   * Resolves when everything has ended, with the exit code for the process: 0 after an ordered stop, 1 if something
   * failed or leadership was lost. Never rejects, and does not end the process: `process.exit(await manager.ended)` does.
   */
  readonly ended: Promise<number>;
  readonly #options: ResolvedManagerOptions;
  readonly #errors: ErrorReporter;
  readonly #synced = new Latch();
  readonly #stopRequested = new Latch();
  /** Never opens; fails when leadership is lost. */
  readonly #leadership = new Latch();
  #state: ManagerState = 'starting';
  #health: HealthServer | undefined;
  #failure: KubeflectError | undefined;

  /** The options must have been checked. */
  constructor(options: ResolvedManagerOptions) {
    this.#options = options;
    this.#errors = new ErrorReporter({
      informerName: 'manager',
      clock: systemClock,
      onError: options.onError,
      onCount: () => {},
    });
    this.leaderElector = this.#createElector();
    const controllers: Controller[] = [];
    this.controllers = controllers;
    this.ended = this.#run(controllers);
  }

  get state(): ManagerState {
    return this.#state;
  }

  /** Why it failed. */
  get failure(): KubeflectError | undefined {
    return this.#failure;
  }

  /** Resolves when every cache has synced, and reconciling begins; rejects with the failure, or if it is stopped before. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** `http://host:port` of the endpoints; undefined while they do not listen. */
  get healthUrl(): string | undefined {
    return this.#health?.url;
  }

  /**
   * What SIGTERM does: no new keys; what is queued is reconciled, within a time; everything is closed. Resolves with
   * the exit code. Idempotent.
   */
  stop(): Promise<number> {
    this.#stopRequested.open();
    return this.ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop().then(() => {});
  }

  async #run(controllers: Controller[]): Promise<number> {
    const { signals, signal } = this.#options;
    const releases = [onProcessSignal(signals, () => this.#stopRequested.open())];
    if (signal !== undefined) releases.push(onAbort(signal, () => this.#stopRequested.open()));
    try {
      await this.#start(controllers);
      await Promise.race([this.#stopRequested.promise, this.#leadership.promise]);
    } catch (error) {
      this.#fail(error);
    }
    await this.#stop();
    for (const release of releases) release();
    this.#state = this.#failure === undefined ? 'stopped' : 'failed';
    return this.#failure === undefined ? 0 : 1;
  }

  /** Ends early if a stop is requested; throws what the manager fails with. */
  async #start(controllers: Controller[]): Promise<void> {
    const { health, controllers: wanted } = this.#options;
    if (health !== undefined)
      this.#health = await HealthServer.listen({ ...health, ...this.#endpoints(health) });
    if (this.#stopRequested.isOpen) return;
    for (const options of wanted) controllers.push(this.#startController(options));
    await Promise.race([this.#waitForCaches(controllers), this.#stopRequested.promise]);
    if (this.#stopRequested.isOpen) return;
    this.#state = 'running';
    this.leaderElector?.start();
    this.#synced.open();
  }

  #createElector(): LeaderElector | undefined {
    const { engine, leaderElection, onError } = this.#options;
    if (leaderElection === undefined) return undefined;
    return new LeaderElector({
      ...(onError && { onError }),
      ...leaderElection,
      engine,
      onStoppedLeading: (term) => {
        if (this.#state === 'running') this.#leadership.fail(term.signal.reason as Error);
        else if (this.leaderElector?.isStopped === false) this.#fail(term.signal.reason);
        leaderElection.onStoppedLeading?.(term);
      },
    });
  }

  #startController({ needLeaderElection = true, ...options }: ManagedController<never>): Controller {
    const { engine, onError } = this.#options;
    const elector = needLeaderElection ? this.leaderElector : undefined;
    return runController({
      metrics: engine.metrics,
      ...(onError && { onError }),
      ...options,
      leaderElection: leadershipAfterSync(this.#synced, elector),
    });
  }

  async #waitForCaches(controllers: readonly Controller[]): Promise<void> {
    const { cacheSyncTimeoutMs } = this.#options;
    const late = new AbortController();
    const synced = this.#cachesSynced(controllers, late.signal);
    const isInTime = await settlesWithin(systemClock, cacheSyncTimeoutMs, synced);
    late.abort();
    if (isInTime) return;
    const missing = this.#missingCaches.map(({ name, problem }) => `${name}: ${problem}`);
    throw new KubeflectError(
      'KUBEFLECT_SYNC_TIMEOUT',
      `the caches have not synced within ${cacheSyncTimeoutMs} ms: ${missing.join(', ')}`,
    );
  }

  /** Those of the controllers, and others of the engine that the program has started. */
  async #cachesSynced(controllers: readonly Controller[], late: AbortSignal): Promise<void> {
    await Promise.all(controllers.map(({ synced }) => synced));
    while (this.#missingCaches.length > 0 && !late.aborted && !this.#stopRequested.isOpen)
      await sleep(systemClock, SYNC_POLL_MS, late);
  }

  get #missingCaches(): readonly HealthCheck[] {
    const checks = cacheChecks(this.#options.engine.stats(), Number.POSITIVE_INFINITY);
    return checks.filter(({ problem }) => problem !== undefined);
  }

  #endpoints({ maxLagMs }: { readonly maxLagMs: number }): {
    readonly healthz: () => HealthReport;
    readonly readyz: () => HealthReport;
  } {
    const { engine } = this.#options;
    return {
      healthz: () => ({
        endpoint: 'healthz',
        checks: [{ name: 'manager', problem: this.#failure && `failed: ${this.#failure.code}` }],
      }),
      readyz: () => ({
        endpoint: 'readyz',
        checks: [
          { name: 'manager', problem: this.#state === 'running' ? undefined : this.#state },
          ...this.controllers.map((controller) => ({
            name: `controller ${controller.name}`,
            problem: controller.isStopped ? 'stopped' : undefined,
          })),
          ...cacheChecks(engine.stats(), maxLagMs),
        ],
      }),
    };
  }

  async #stop(): Promise<void> {
    const { engine, controllers, gracefulShutdownTimeoutMs } = this.#options;
    this.#state = 'stopping';
    this.#synced.fail(
      this.#failure ??
        new KubeflectError(
          'KUBEFLECT_INFORMER_STOPPED',
          'the manager was stopped before its caches had synced',
        ),
    );
    const timeoutMs = gracefulShutdownTimeoutMs;
    // A standby has nothing to drain: its keys are for the leader.
    const isStandby = this.leaderElector?.isLeader === false;
    const stops = this.controllers.map((controller, i) => {
      const mayReconcile = !isStandby || controllers[i]?.needLeaderElection === false;
      return controller.stop({ drain: mayReconcile && this.#failure === undefined, timeoutMs });
    });
    await Promise.all(stops);
    this.#checkReconciles();
    // Renewed until here. With a reconcile that may still act, the engine leaves the Lease to expire.
    if (!this.#isReconciling) await this.leaderElector?.stop({ timeoutMs: CLOSE_TIMEOUT_MS });
    await engine.close({ timeoutMs: CLOSE_TIMEOUT_MS });
    const health = this.#health;
    this.#health = undefined;
    await health?.close();
  }

  /** Their signals were aborted, and they were waited for. */
  #checkReconciles(): void {
    if (!this.#isReconciling) return;
    const names = this.controllers.filter(({ queue }) => queue.processing > 0).map(({ name }) => name);
    this.#fail(
      new KubeflectError(
        'KUBEFLECT_STOP_TIMEOUT',
        `the manager has stopped, but a reconcile has not returned, of ${names.join(', ')}`,
      ),
    );
  }

  get #isReconciling(): boolean {
    return this.controllers.some(({ queue }) => queue.processing > 0);
  }

  /** The first failure counts. */
  #fail(error: unknown): void {
    const failure =
      error instanceof KubeflectError
        ? error
        : new KubeflectError('KUBEFLECT_MANAGER_FAILED', 'the manager failed to start', { cause: error });
    // The elector has reported it.
    if (failure.code !== 'KUBEFLECT_LEADERSHIP_LOST') this.#errors.report(failure);
    this.#failure ??= failure;
  }
}
