import type { KubernetesObject } from '../../kube/object.js';
import type { Slice, SliceScheduler } from '../../util/slice-scheduler.js';
import type { Notification } from './notification.js';
import { NotificationSink } from './notification-sink.js';

/** An event of an informer's `events()`. `synced` comes once, after the last add of the initial list. */
export type InformerEvent<T extends KubernetesObject> = Notification<T> | { readonly type: 'synced' };

/**
 * A handler as an async iterator: the consumer pulls events. A slow loop sees fewer states, merged by key, but misses
 * no object and needs bounded memory. Ends silently when the informer stops, the signal aborts, or the loop is left.
 */
export class EventStream<T extends KubernetesObject>
  extends NotificationSink<T>
  implements AsyncIterableIterator<InformerEvent<T>>
{
  readonly #slice: Slice;
  readonly #onEnd: () => void;
  #isSyncedDue = false;
  /** The event that the loop is processing: it is finished when the loop requests the next. */
  #current: Notification<T> | undefined;
  #resume: () => void = () => {};
  /** Concurrent calls of `next` are served in order. */
  #lastNext: Promise<unknown> = Promise.resolve();

  constructor(slices: SliceScheduler, onEnd: () => void) {
    super(slices);
    this.#slice = slices.open();
    this.#onEnd = onEnd;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<InformerEvent<T>, undefined>> {
    const next = this.#lastNext.then(() => this.#next());
    this.#lastNext = next;
    return next;
  }

  async return(): Promise<IteratorResult<InformerEvent<T>, undefined>> {
    await this.end();
    return { done: true, value: undefined };
  }

  /** Takes effect at once: nothing more is yielded, and queued events are dropped. Resolves when they are released. */
  async end(): Promise<void> {
    const isFirst = !this.isClosed;
    const closed = this.close({ drop: true });
    if (isFirst) {
      this.wake();
      this.#onEnd();
    }
    await closed;
  }

  protected override wake(): void {
    this.#resume();
  }

  protected override onSynced(): void {
    this.#isSyncedDue = true;
    this.wake();
  }

  async #next(): Promise<IteratorResult<InformerEvent<T>, undefined>> {
    if (this.#current !== undefined) this.finished(this.#current);
    this.#current = undefined;
    for (;;) {
      if (this.isClosed) return { done: true, value: undefined };
      if (this.#isSyncedDue) {
        this.#isSyncedDue = false;
        return { done: false, value: { type: 'synced' } };
      }
      if (this.pending === 0) {
        this.#slice.pause();
        await new Promise<void>((resolve) => {
          this.#resume = resolve;
        });
        continue;
      }
      // A loop whose events are always queued already would never leave the microtask queue.
      if (!this.#slice.take()) await this.#slice.renew();
      const notification = this.shift();
      if (notification === undefined) continue;
      this.#current = notification;
      this.#slice.suspend();
      return { done: false, value: notification };
    }
  }
}
