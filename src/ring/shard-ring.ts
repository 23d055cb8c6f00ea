import { fnv1a64 } from '../kube/sharding/fnv.js';
import { shardOfHash } from '../kube/sharding/hash-range.js';
import type { RingCache, RingOwnership, RingShards, RingTurn } from '../kube/sharding/ring-shards.js';
import { leaseError } from '../leader-election/lease-errors.js';
import { processTime, systemClock, systemId } from '../util/clock.js';
import { publish } from '../util/diagnostics.js';
import { ErrorReporter } from '../util/error-reporter.js';
import { KubeflectError } from '../util/errors.js';
import type { Value } from '../util/metrics.js';
import { LeaseMembership } from './lease-membership.js';
import { ObservedRing } from './observed-ring.js';
import { RingDriver } from './ring-driver.js';
import type { RingEvent } from './ring-member.js';
import { ringMetrics } from './ring-metrics.js';
import { type ResolvedRingOptions, resolveRingOptions, type ShardRingOptions } from './ring-options.js';
import { writeRing } from './ring-writer.js';

/** How often the clocks are looked at when nothing else happens. */
const TICK_MS = 500;
const ID_LENGTH = 8;

export interface RingStopOptions {
  /** How long reconciles may take to end, and others to take over. @default 30_000 */
  readonly timeoutMs?: number;
}

/**
 * Divides collections among the replicas of a program, by Leases: one per replica, which is renewed, and one per shard,
 * which says who owns it. Replicas may come and go; a shard has at most one owner, by everyone's own clocks.
 *
 * Passed to informers (`ring`), they hold only the objects of this replica's shards; passed to `runController`, it
 * reconciles only those. What is not promised: docs/sharding.md.
 */
export class ShardRing implements RingShards, RingOwnership {
  readonly name: string;
  readonly shards: number;
  readonly #options: ResolvedRingOptions;
  readonly #driver: RingDriver;
  readonly #observed: ObservedRing;
  readonly #errors: ErrorReporter;
  readonly #caches = new Set<RingCache>();
  readonly #listeners = new Map<RingEvent['type'], Set<(shard: number) => void>>();
  readonly #events: (type: RingEvent['type']) => Value;
  #membership: LeaseMembership | undefined;
  #wanted: readonly number[] | undefined;
  #tick: { cancel(): void } | undefined;
  #isPoked = false;
  #stopping: Promise<void> | undefined;
  #onLeft: () => void = () => {};
  #hasReportedSize = false;

  /** Throws `KUBEFLECT_OPTION_INVALID`. Starts nothing. */
  constructor(options: ShardRingOptions) {
    this.#options = resolveRingOptions(options);
    const { engine, name, namespace, shards, leaseDurationMs, renewPeriodMs, onError } = this.#options;
    this.name = `${namespace}/${name}`;
    this.shards = shards;
    this.#errors = new ErrorReporter({
      informerName: `ring ${this.name}`,
      clock: systemClock,
      onError,
      onCount: () => {},
    });
    const ring = { namespace, name, shards };
    this.#observed = new ObservedRing(engine, ring, () => this.#poke());
    this.#driver = new RingDriver({
      shards,
      leaseDurationMs,
      settleMs: renewPeriodMs,
      now: processTime,
      newId: () => `${name}-${this.#options.identity}-${systemId().slice(0, ID_LENGTH)}`,
      join: (id) => this.#join(id),
      view: () => (this.#hasOtherSize() ? undefined : this.#observed.view),
      write: (write, done) => {
        const onFailed = (error: KubeflectError): void => this.#errors.report(error);
        void writeRing(engine.leases, ring, write, onFailed).then(done);
      },
      caches: {
        isSynced: (shard) => [...this.#caches].every((cache) => cache.isSynced(shard)),
        isConfirmed: (shard, sinceMs) =>
          // All are asked: each sees to it that it will be.
          [...this.#caches].map((cache) => cache.isConfirmed(shard, sinceMs)).every(Boolean),
      },
      onWanted: (wanted) => {
        this.#wanted = wanted;
        for (const cache of this.#caches) cache.onWanted();
      },
      onEvent: (event) => this.#onEvent(event),
    });
    this.#events = ringMetrics(engine.metrics, name, {
      owned: () => this.owned.length,
      view: () => this.#observed.view,
      shards,
    });
  }

  /** Joins the ring. Idempotent; does nothing after `stop`. */
  start(): void {
    if (this.#tick !== undefined || this.#stopping !== undefined) return;
    this.#observed.start();
    this.#beat();
  }

  /** The id of this process's present Lease. */
  get id(): string | undefined {
    return this.#driver.id;
  }

  /** Shards that are this process's, by the Leases and by its clocks. */
  get owned(): readonly number[] {
    return this.#driver.owned;
  }

  get wanted(): readonly number[] | undefined {
    return this.#wanted;
  }

  shardOf(uid: string): number {
    return shardOfHash(fnv1a64(uid), this.shards);
  }

  /** Whether an object is this process's to write. Looks at the clocks: ask before each write. */
  isOwned(uid: string): boolean {
    return this.#driver.isOwned(this.shardOf(uid));
  }

  /** Counts the owners of an object's shard: higher with every one. Undefined if it is not this process's. */
  epochOf(uid: string): number | undefined {
    return this.#driver.epochOf(this.shardOf(uid));
  }

  enter(uid: string): RingTurn | undefined {
    const turn = this.#driver.enter(this.shardOf(uid));
    return (
      turn && {
        signal: turn.signal,
        end: () => {
          turn.end();
          this.#poke();
        },
      }
    );
  }

  /**
   * `acquired`: the shard is this process's, and its caches are complete. `draining`: another replica takes over; nothing
   * is begun any more. `lost`: it is not this process's any more. Returns a function that removes the listener.
   */
  on(type: RingEvent['type'], listener: (shard: number) => void): () => void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  onAcquired(listener: (shard: number) => void): () => void {
    return this.on('acquired', listener);
  }

  attach(cache: RingCache): () => void {
    this.#caches.add(cache);
    return () => {
      this.#caches.delete(cache);
      this.#poke();
    };
  }

  changed(): void {
    this.#poke();
  }

  /**
   * Hands all shards over to the other replicas, if there are any, and leaves the ring. What has not ended in time leaves
   * its shards to the others when this process's Lease expires. Idempotent.
   */
  stop(options: RingStopOptions = {}): Promise<void> {
    this.#stopping ??= this.#stop(options);
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop({ timeoutMs = 30_000 }: RingStopOptions): Promise<void> {
    if (this.#tick === undefined) return;
    const left = new Promise<void>((resolve) => {
      this.#onLeft = resolve;
    });
    this.#driver.leave();
    this.#poke();
    const timer = systemClock.schedule(this.#onLeft, timeoutMs);
    await left;
    timer.cancel();
    const isIdle = this.#driver.isIdle;
    if (!this.#driver.hasLeft && isIdle) this.#driver.abandon();
    this.#tick.cancel();
    if (isIdle) await this.#membership?.ended();
    else {
      this.#membership?.expire();
      const message = `the ring ${this.name} was left, but a reconcile has not ended for ${timeoutMs} ms; its shards are taken over when the Lease expires`;
      this.#errors.report(new KubeflectError('KUBEFLECT_STOP_TIMEOUT', message));
    }
    await this.#observed.stop();
  }

  /** Members that may take shards over: not those that are leaving too, nor any while the number of shards differs. */
  #hasSuccessors(): boolean {
    if (this.#observed.other !== undefined) return false;
    const members = [...(this.#observed.view?.members.values() ?? [])];
    return members.some(({ id, holder, isLeaving }) => id === holder && id !== this.id && !isLeaving);
  }

  #join(id: string): LeaseMembership {
    const { engine, name, namespace, shards, leaseDurationMs, renewDeadlineMs, renewPeriodMs } =
      this.#options;
    this.#membership = new LeaseMembership({
      leases: engine.leases,
      ring: { namespace, name, shards },
      id,
      leaseDurationMs,
      renewDeadlineMs,
      renewPeriodMs,
      onChange: () => this.#poke(),
      onFailed: (verb, error) => this.#errors.report(leaseError(`${namespace}/${id}`, verb, error)),
    });
    return this.#membership;
  }

  /** Members that do not agree on the number of shards would own objects twice: this one owns none then. */
  #hasOtherSize(): boolean {
    const { other } = this.#observed;
    if (other === undefined || this.#hasReportedSize) return other !== undefined;
    this.#hasReportedSize = true;
    const message =
      `the ring ${this.name} has ${other.shards} shards for another replica, and ${this.shards} for this one, which owns none: ` +
      'the number is fixed for as long as a ring lives; give the ring another name to change it';
    this.#errors.report(new KubeflectError('KUBEFLECT_OPTION_INVALID', message));
    return true;
  }

  /** Both have joined before they saw each other. One of them has to go; it joins again when the other one is gone. */
  #yieldToOther(): void {
    const { other } = this.#observed;
    if (other !== undefined && this.id !== undefined && other.id < this.id) this.#driver.withdraw();
  }

  #beat(): void {
    this.#tick = systemClock.schedule(() => {
      this.#beat();
      this.#poke();
    }, TICK_MS);
  }

  /** Once for all that changes in one turn. */
  #poke(): void {
    if (this.#isPoked) return;
    this.#isPoked = true;
    queueMicrotask(() => {
      this.#isPoked = false;
      try {
        this.#yieldToOther();
        this.#driver.poke();
      } catch (error) {
        this.#onClosed(error);
      }
      if (this.#driver.hasLeft || (this.#driver.isIdle && !this.#hasSuccessors())) this.#onLeft();
    });
  }

  /** The engine was closed before the ring was left. */
  #onClosed(error: unknown): void {
    if (!(error instanceof KubeflectError) || error.code !== 'KUBEFLECT_ENGINE_CLOSED') throw error;
    this.#tick?.cancel();
    this.#driver.abandon();
  }

  #onEvent({ type, shard }: RingEvent): void {
    publish('kubeflect:ring', () => ({ ring: this.name, type, shard }));
    this.#events(type).increment();
    for (const listener of this.#listeners.get(type) ?? []) {
      try {
        listener(shard);
      } catch (cause) {
        const message = `a listener of the ring ${this.name} failed`;
        this.#errors.report(new KubeflectError('KUBEFLECT_HANDLER_FAILED', message, { cause }));
      }
    }
  }
}
