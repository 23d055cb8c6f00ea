import type { KubernetesObject } from '../../kube/object.js';
import type { SliceScheduler } from '../../util/slice-scheduler.js';
import type { MergedNotifications } from './merged-notifications.js';
import type { Notification, Segment } from './notification.js';
import { NotificationQueue, type NotificationQueueOptions } from './notification-queue.js';
import { SingleFileTracker } from './single-file-tracker.js';

/**
 * A receiver of notifications: the listener of a handler, or an event stream. Queues what is not delivered yet, and
 * tracks when the initial list has been delivered.
 */
export abstract class NotificationSink<T extends KubernetesObject> {
  readonly #queue: NotificationQueue<T>;
  readonly #slices: SliceScheduler;
  readonly #tracker = new SingleFileTracker(() => this.onSynced());
  #isClosed = false;
  #dropping: Promise<void> | undefined;

  constructor(slices: SliceScheduler, options: Omit<NotificationQueueOptions<T>, 'onCancelled'> = {}) {
    this.#slices = slices;
    this.#queue = new NotificationQueue({ ...options, onCancelled: (add) => this.finished(add) });
  }

  get hasSynced(): boolean {
    return this.#tracker.hasSynced;
  }

  get pending(): number {
    return this.#queue.length;
  }

  get isMerging(): boolean {
    return this.#queue.isMerging;
  }

  push(notification: Notification<T>): void {
    if (this.#isClosed) return;
    if (isInitial(notification)) this.#tracker.start();
    this.#queue.push(notification);
    this.wake();
  }

  /** Queues a segment as one item. If it returns false, push its notifications one by one. */
  attach(segment: Segment<T>): boolean {
    if (this.#isClosed) return true;
    if (!this.#queue.attach(segment)) return false;
    this.#tracker.start(segment.initialAdds);
    this.wake();
    return true;
  }

  /** The informer has synced, and every initial add has been pushed. */
  upstreamSynced(): void {
    this.#tracker.upstreamSynced();
  }

  /** There may be something to deliver. */
  protected abstract wake(): void;

  /** Called once, when the informer has synced and every initial add is finished. */
  protected abstract onSynced(): void;

  protected get isClosed(): boolean {
    return this.#isClosed;
  }

  protected shift(): Notification<T> | undefined {
    return this.#queue.shift();
  }

  /** Call it for every shifted notification, once it is delivered. */
  protected finished(notification: Notification<T>): void {
    if (isInitial(notification)) this.#tracker.finished();
  }

  /**
   * Nothing more is queued. Queued notifications can still be shifted, unless they are dropped. Resolves when all
   * dropped notifications are released.
   */
  protected async close(options: { readonly drop: boolean }): Promise<void> {
    this.#isClosed = true;
    const dropped = options.drop ? this.#queue.clear() : undefined;
    if (dropped !== undefined) this.#dropping = this.#releaseDropped(dropped);
    await this.#dropping;
  }

  async #releaseDropped(dropped: MergedNotifications<T>): Promise<void> {
    const slice = this.#slices.open();
    do {
      if (!slice.take()) await slice.renew();
    } while (dropped.shift() !== undefined);
  }
}

function isInitial<T extends KubernetesObject>(notification: Notification<T>): boolean {
  return notification.type === 'add' && notification.isInInitialList;
}
