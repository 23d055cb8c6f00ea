import type { KubernetesObject } from '../../kube/object.js';
import type { Slice, SliceScheduler } from '../../slice-scheduler.js';
import type { Notification, Segment } from './notification.js';
import { NotificationQueue } from './notification-queue.js';
import type { NotificationSink } from './notification-sink.js';
import { SingleFileTracker } from './single-file-tracker.js';

/** What an informer's `events()` yields. `synced` comes once, after the last add of the initial list. */
export type InformerEvent<T extends KubernetesObject> = Notification<T> | { readonly type: 'synced' };

/**
 * A handler turned inside out: whoever iterates is told when it asks. A slow loop loses states, merged by key, but no
 * object and no memory. Ends silently when the informer stops, the signal aborts, or the loop is left.
 */
export class EventStream<T extends KubernetesObject>
  implements AsyncIterableIterator<InformerEvent<T>>, NotificationSink<T>
{
  readonly #queue: NotificationQueue<T>;
  readonly #slice: Slice;
  readonly #onEnd: () => void;
  readonly #tracker = new SingleFileTracker(() => {
    this.#isSyncedDue = true;
    this.#wake();
  });
  #isSyncedDue = false;
  #isEnded = false;
  /** The event that the loop works on: it is finished when the loop asks for the next. */
  #current: InformerEvent<T> | undefined;
  #wake: () => void = () => {};
  /** Calls of `next` are answered one after another. */
  #lastNext: Promise<unknown> = Promise.resolve();

  constructor(slices: SliceScheduler, onEnd: () => void) {
    this.#slice = slices.open();
    this.#onEnd = onEnd;
    this.#queue = new NotificationQueue({ onCancelled: (add) => this.#finished(add) });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<InformerEvent<T>, undefined>> {
    const next = this.#lastNext.then(() => this.#next());
    this.#lastNext = next;
    return next;
  }

  return(): Promise<IteratorResult<InformerEvent<T>, undefined>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Nothing more is yielded, not even what is waiting. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#queue.clear();
    this.#wake();
    this.#onEnd();
  }

  get pending(): number {
    return this.#queue.length;
  }

  push(notification: Notification<T>): void {
    if (this.#isEnded) return;
    if (notification.type === 'add' && notification.isInInitialList) this.#tracker.start();
    this.#queue.push(notification);
    this.#wake();
  }

  attach(segment: Segment<T>): boolean {
    if (this.#isEnded) return true;
    if (!this.#queue.attach(segment)) return false;
    this.#tracker.start(segment.initialAdds);
    this.#wake();
    return true;
  }

  upstreamSynced(): void {
    this.#tracker.upstreamSynced();
  }

  async #next(): Promise<IteratorResult<InformerEvent<T>, undefined>> {
    if (this.#current !== undefined) this.#finished(this.#current);
    this.#current = undefined;
    for (;;) {
      if (this.#isEnded) return { done: true, value: undefined };
      if (this.#isSyncedDue) {
        this.#isSyncedDue = false;
        return { done: false, value: { type: 'synced' } };
      }
      if (this.#queue.length === 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      // A loop that is always served from memory would never leave the microtask queue.
      if (!this.#slice.take()) await this.#slice.renew();
      const notification = this.#queue.shift();
      if (notification === undefined) continue;
      this.#current = notification;
      return { done: false, value: notification };
    }
  }

  #finished(event: InformerEvent<T>): void {
    if (event.type === 'add' && event.isInInitialList) this.#tracker.finished();
  }
}
