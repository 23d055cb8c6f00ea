import { keyOfObject } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Clock } from '../util/clock.js';
import { KubeflectError } from '../util/errors.js';
import type { Distribution, Metrics, Value } from '../util/metrics.js';
import { higherPriority, type Priority } from './priority-lanes.js';
import type { ReconcileWrites, WrittenInformer } from './reconcile.js';

export interface HeldKeysOptions {
  /** Of the controller. */
  readonly name: string;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** How long a key is held back. 0: never. */
  readonly timeoutMs: number;
  /** A key that was to be reconciled while it was held back. */
  readonly add: (key: string, priority: Priority) => void;
}

interface Hold {
  /** Written objects that their caches do not show yet. */
  writes: number;
  /** Set if the key was to be reconciled meanwhile. */
  parked: { readonly priority: Priority; readonly sinceMs: number } | undefined;
  readonly waiters: (() => void)[];
}

/**
 * The keys whose last reconcile has written something that the caches do not show yet: reconciled now, they would do it
 * again. A key is held back for each write until its informer has caught up, or for `timeoutMs`. Only keys with such
 * writes take memory.
 */
export class HeldKeys {
  readonly #options: HeldKeysOptions;
  readonly #holds = new Map<string, Hold>();
  readonly #abort = new AbortController();
  readonly #seconds: Distribution;
  readonly #timeouts: Value;

  constructor(options: HeldKeysOptions) {
    this.#options = options;
    const { name, metrics } = options;
    const labels = { controller: name };
    metrics
      .gauge('kubeflect_controller_held_keys', 'Keys whose own writes a cache does not show yet.')
      .labels(labels)
      .read(() => this.#holds.size);
    this.#seconds = metrics
      .histogram(
        'kubeflect_controller_held_seconds',
        'How long keys that were to be reconciled waited for their own writes to be shown.',
      )
      .labels(labels);
    this.#timeouts = metrics
      .counter(
        'kubeflect_controller_held_timeouts_total',
        'Own writes that a cache did not show in time; their keys are reconciled anyway.',
      )
      .labels(labels);
  }

  /** What a reconcile of this key reports its writes to. */
  writesOf(key: string): ReconcileWrites {
    return {
      wrote: (informer, written) => {
        informer.wrote(written);
        this.#hold(key, informer, keyOfObject(written));
      },
      wroteDelete: (informer, deleted, answer) => {
        informer.wroteDelete(deleted, answer);
        this.#hold(key, informer, keyOfObject(deleted));
      },
    };
  }

  isHeld(key: string): boolean {
    return this.#holds.has(key);
  }

  /** Adds a held key when it is no longer held. Of several priorities the highest counts. */
  park(key: string, priority: Priority): void {
    const hold = this.#holds.get(key);
    if (hold === undefined) return;
    const { parked } = hold;
    hold.parked = {
      priority: parked === undefined ? priority : higherPriority(parked.priority, priority),
      sinceMs: parked?.sinceMs ?? this.#options.clock.now(),
    };
  }

  /** Adds all parked keys now. */
  unpark(): void {
    for (const [key, hold] of this.#holds) this.#addParked(key, hold);
  }

  /** Resolves when the key is no longer held, or after `close`. */
  async released(key: string): Promise<void> {
    const hold = this.#holds.get(key);
    if (hold !== undefined) await new Promise<void>((resolve) => hold.waiters.push(resolve));
  }

  /** Holds nothing back any more. Parked keys are dropped. */
  close(): void {
    this.#abort.abort();
    for (const [key, hold] of this.#holds) {
      hold.parked = undefined;
      this.#release(key, hold);
    }
  }

  #hold<T extends KubernetesObject>(key: string, informer: WrittenInformer<T>, writtenKey: string): void {
    const { timeoutMs } = this.#options;
    const { signal } = this.#abort;
    if (timeoutMs === 0 || signal.aborted || informer.isCaughtUp(writtenKey)) return;
    let hold = this.#holds.get(key);
    if (hold === undefined) {
      hold = { writes: 0, parked: undefined, waiters: [] };
      this.#holds.set(key, hold);
    }
    hold.writes++;
    void this.#wait(key, hold, informer.caughtUp(writtenKey, { signal, timeoutMs }));
  }

  async #wait(key: string, hold: Hold, caughtUp: Promise<void>): Promise<void> {
    try {
      await caughtUp;
    } catch (error) {
      // Otherwise the controller or the informer was stopped.
      if (error instanceof KubeflectError && error.code === 'KUBEFLECT_NOT_CAUGHT_UP')
        this.#timeouts.increment();
    }
    // Handlers are notified in this turn: the change that was waited for need not cause a reconcile of its own.
    await this.#options.clock.yield();
    hold.writes--;
    if (hold.writes === 0 && this.#holds.get(key) === hold) this.#release(key, hold);
  }

  #release(key: string, hold: Hold): void {
    this.#holds.delete(key);
    this.#addParked(key, hold);
    for (const resolve of hold.waiters) resolve();
  }

  #addParked(key: string, hold: Hold): void {
    const { parked } = hold;
    if (parked === undefined) return;
    hold.parked = undefined;
    this.#seconds.observe((this.#options.clock.now() - parked.sinceMs) / 1000);
    this.#options.add(key, parked.priority);
  }
}
