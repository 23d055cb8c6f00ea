import type { DeleteDetails } from '../informer/handlers/event-handler.js';
import type { StopOptions } from '../informer/shared-informer-options.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import { onAbort } from '../util/abort.js';
import { type Clock, settlesWithin, systemClock, systemRandom } from '../util/clock.js';
import { ErrorReporter } from '../util/error-reporter.js';
import { KubeflectError } from '../util/errors.js';
import { Latch } from '../util/latch.js';
import { Metrics } from '../util/metrics.js';
import { type Slice, sliceSchedulerOf } from '../util/slice-scheduler.js';
import { checkedFilter, type Filter } from './checked-filter.js';
import { type ControllerOptions, checkControllerOptions } from './controller-options.js';
import {
  attachSource,
  type ControllerSource,
  ownedSource,
  type SourceRegistration,
} from './controller-source.js';
import { HeldKeys } from './held-keys.js';
import { joinedSignal } from './joined-signal.js';
import { LeadershipGate } from './leadership-gate.js';
import { OwnerKeys } from './owner-keys.js';
import type { Priority } from './priority-lanes.js';
import { ReconcileMetrics } from './reconcile-metrics.js';
import { Reconciler } from './reconciler.js';
import { RingGate, ringInformer } from './ring-gate.js';
import { WorkQueue } from './work-queue.js';

/** What reconciles have to end in at least, once their signal is aborted; never longer than the time to drain. */
const MAX_ABORT_GRACE_MS = 5_000;

/**
 * Starts the informers, and reconciles every key once they have synced, then every key that changes. Throws
 * `KUBEFLECT_OPTION_INVALID`.
 */
export function runController<
  T extends KubernetesObject,
  const Watched extends readonly KubernetesObject[] = readonly KubernetesObject[],
  const Owned extends readonly KubernetesObject[] = readonly KubernetesObject[],
>(options: ControllerOptions<T, Watched, Owned>): Controller {
  checkControllerOptions(options);
  return new Controller(options);
}

/** A running controller, made by `runController`. */
export class Controller {
  readonly name: string;
  readonly queue: WorkQueue<string>;
  readonly #clock: Clock;
  readonly #errors: ErrorReporter;
  readonly #held: HeldKeys;
  readonly #reconciler: Reconciler;
  #registrations: readonly SourceRegistration[] = [];
  readonly #synced = new Latch();
  readonly #abort = new AbortController();
  readonly #gate: LeadershipGate;
  readonly #ring: RingGate | undefined;
  #release: () => void = () => {};
  #workers: Promise<unknown> | undefined;
  #stopping: Promise<void> | undefined;

  /** The options must have been checked. */
  constructor(options: ControllerOptions) {
    const { informer, concurrency = 1, clock = systemClock, metrics = new Metrics() } = options;
    this.name = options.name ?? informer.name;
    this.#gate = new LeadershipGate(options.leaderElection, this.#abort.signal);
    this.#clock = clock;
    this.#errors = new ErrorReporter({
      informerName: this.name,
      clock,
      onError: options.onError,
      onCount: () => {},
    });
    this.queue = new WorkQueue<string>({
      name: this.name,
      metrics,
      clock,
      ...(options.rateLimiter && { rateLimiter: options.rateLimiter }),
    });
    const { name, queue } = this;
    this.#held = new HeldKeys({
      name,
      clock,
      metrics,
      timeoutMs: options.ownWritesTimeoutMs ?? 10_000,
      add: (key, priority) => queue.add(key, { priority }),
    });
    this.#reconciler = new Reconciler({
      name,
      reconcile: options.reconcile,
      objectOf: (key) => informer.lister.get(key),
      timeoutMs: options.reconcileTimeoutMs,
      queue,
      held: this.#held,
      metrics: new ReconcileMetrics({ metrics, clock, controller: name, concurrency }),
      errors: this.#errors,
      clock,
      random: options.random ?? systemRandom,
    });
    const filter = this.#checked(options.filter);
    this.#ring =
      options.ring &&
      new RingGate({
        ring: options.ring,
        filter,
        informer: ringInformer(informer),
        slices: sliceSchedulerOf(clock),
        add: (key) => queue.add(key, { priority: 'low' }),
        stopped: this.#abort.signal,
      });
    const ring = this.#ring;
    // Before the others, so that it knows the uid of a deleted object when its key is added.
    const onDelete = (entry: Entry, details: DeleteDetails): void => ring?.onDelete(entry, details);
    const seen = ring && informer.addEventHandler({ onDelete }, { name: `ring of ${name}` });
    const sources = this.#attach(options, filter);
    if (seen !== undefined) this.#registrations = [seen, ...this.#registrations];
    if (options.signal !== undefined) this.#release = onAbort(options.signal, () => void this.stop());
    if (this.isStopped) return;
    for (const source of sources) source.informer.start();
    options.leaderElection?.start();
    options.ring?.start();
    void this.#run(concurrency);
  }

  /**
   * Resolves when every informer has delivered its first list and reconciling begins; rejects with
   * `KUBEFLECT_INFORMER_STOPPED` if that can no longer happen.
   */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isStopped(): boolean {
    return this.#stopping !== undefined;
  }

  /**
   * Adds no more keys, and aborts reconciles. Resolves when none is running, or after `timeoutMs`. With `drain`, queued
   * keys are reconciled before, for up to `timeoutMs` and not beyond the term of a leader election; reconciles that are
   * aborted then have up to five seconds to end. The informers keep running. Idempotent.
   */
  stop(options: StopOptions = {}): Promise<void> {
    this.#stopping ??= this.#stop(options);
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #checked(filter: Filter | undefined): Filter | undefined {
    return filter && checkedFilter(filter, this.name, (error) => this.#errors.report(error));
  }

  /** `filter`: of the primary objects. */
  #attach(
    { informer, predicate, watches = [], owns = [] }: ControllerOptions,
    filter: Filter | undefined,
  ): readonly ControllerSource[] {
    const owners = owns.length === 0 ? undefined : new OwnerKeys(filter);
    const primary: ControllerSource = {
      informer,
      keys: (entry) => [entry.key],
      ...(predicate && { predicate }),
      ...(filter && { filter }),
    };
    const children = owns.map((source) => ownedSource(source, owners as OwnerKeys));
    const others = [...watches, ...children].map((source) => {
      const checked = this.#checked(source.filter?.bind(source));
      return checked === undefined ? source : { ...source, filter: checked };
    });
    const add = (key: string, priority: Priority): void => this.queue.add(key, { priority });
    const sources = [primary, ...others];
    this.#registrations = sources.map((source) =>
      attachSource(source, this.name, add, source === primary ? owners : undefined),
    );
    return sources;
  }

  async #run(concurrency: number): Promise<void> {
    try {
      await Promise.all(this.#registrations.map(({ synced }) => synced));
    } catch (error) {
      this.#synced.fail(error as Error);
      void this.stop();
      return;
    }
    if (this.isStopped) return;
    this.#synced.open();
    const slices = sliceSchedulerOf(this.#clock);
    this.#workers = Promise.all(Array.from({ length: concurrency }, () => this.#work(slices.open())));
  }

  /** One key after the other, in slices: a reconciler that never awaits I/O would block the event loop. */
  async #work(slice: Slice): Promise<void> {
    const { signal } = this.#abort;
    for (;;) {
      if (this.queue.length === 0 || !this.#gate.isOpen) slice.pause();
      if (!this.#gate.isOpen) await this.#gate.opened();
      const key = await this.queue.get();
      if (key === undefined) return;
      if (!slice.take()) await slice.renew();
      if (this.#held.isHeld(key) && !(await this.#mayReconcile(key, slice))) continue;
      if (!signal.aborted) await this.#process(key, slice);
      this.queue.done(key);
    }
  }

  /** False for a key that is held back, until it is not: other keys go first. The last ones are waited for. */
  async #mayReconcile(key: string, slice: Slice): Promise<boolean> {
    if (!this.queue.isShuttingDown) {
      this.#held.park(key, this.queue.priorityOf(key) ?? 'normal');
      this.queue.done(key);
      return false;
    }
    slice.suspend();
    await this.#held.released(key);
    return true;
  }

  /** Leadership may have ended while the key waited, and may end while it is reconciled: then it is queued again. */
  async #process(key: string, slice: Slice): Promise<void> {
    const turn = this.#gate.enter();
    if (turn !== undefined) {
      await this.#reconcile(key, turn.signal, slice);
      turn.end();
    }
    if (turn !== undefined && !turn.wasLost) return;
    const priority = this.queue.priorityOf(key);
    this.queue.add(key, { ...(priority && { priority }) });
  }

  /** A key of another shard is dropped: its owner reconciles it. */
  async #reconcile(key: string, signal: AbortSignal, slice: Slice): Promise<void> {
    const ring = this.#ring;
    const turn = ring?.enter(key);
    if (ring === undefined) await this.#reconciler.process(key, signal, () => slice.suspend());
    else if (turn !== undefined) {
      const joined = joinedSignal(signal, turn.signal);
      await this.#reconciler.process(key, joined.signal, () => slice.suspend());
      joined.release();
      turn.end();
    } else this.queue.forget(key);
    if (this.queue.numRequeues(key) === 0) ring?.forget(key);
  }

  async #stop({ drain = false, timeoutMs = 10_000 }: StopOptions): Promise<void> {
    this.#release();
    this.#synced.fail(
      new KubeflectError(
        'KUBEFLECT_INFORMER_STOPPED',
        `the controller "${this.name}" was stopped before it had synced`,
      ),
    );
    const removed = this.#registrations.map((registration) => registration.remove());
    if (drain) this.#held.unpark();
    // Without leadership the queued keys are another replica's to reconcile.
    const canDrain = this.#workers !== undefined && this.#gate.isOpen;
    const endMs = this.#clock.now() + timeoutMs;
    if (drain && canDrain) {
      const drained = Promise.race([this.queue.shutDownWithDrain(), this.#gate.closed()]);
      await settlesWithin(this.#clock, timeoutMs, drained);
    }
    this.#abort.abort();
    this.#held.close();
    this.#ring?.close();
    this.queue.shutDown();
    const graceMs = Math.max(endMs - this.#clock.now(), Math.min(MAX_ABORT_GRACE_MS, timeoutMs));
    const ended = Promise.all([...removed, this.#workers]);
    if (await settlesWithin(this.#clock, graceMs, ended)) return;
    this.#errors.report(
      new KubeflectError(
        'KUBEFLECT_STOP_TIMEOUT',
        `the controller "${this.name}" was stopped, but a reconcile has not returned within ${Math.round(graceMs)} ms of being aborted`,
      ),
    );
  }
}
