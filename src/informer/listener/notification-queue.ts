import type { KubernetesObject } from '../../kube/object.js';
import { Ring } from '../../store/queue/ring.js';
import { MergedNotifications } from './merged-notifications.js';
import type { Notification, Segment } from './notification.js';

/** Where client-go's ring buffer starts, and where it grows without bound. Up to here every notification is kept as it is. */
const WATERMARK = 1024;

export interface NotificationQueueOptions<T extends KubernetesObject> {
  /** Length above which notifications of one key are merged. @default 1024 */
  readonly watermark?: number;
  /** Called when an add that was never delivered and the deletion after it cancelled each other out. */
  readonly onCancelled?: (add: Notification<T>) => void;
}

type Waiting<T extends KubernetesObject> = Ring<Notification<T>> | MergedNotifications<T>;

/**
 * What one handler has still to be told, in order.
 *
 *     [before] │ [segment: 150,000 entries, place 1,234] │ [behind]
 *
 * What waits behind the segment is merged by key beyond the watermark. So memory is bounded by the objects that are alive or that
 * the handler knows, however many events pass by. There is at most one segment: with one waiting, the changes of another relist are
 * pushed one by one. Nothing is merged across it: it would overtake what the segment says of the key.
 */
export class NotificationQueue<T extends KubernetesObject> {
  readonly #watermark: number;
  readonly #onCancelled: (add: Notification<T>) => void;
  /** Only while there is a segment. */
  #before: Waiting<T> | undefined;
  #segment: Segment<T> | undefined;
  #place = 0;
  #behind: Waiting<T> = new Ring();

  constructor(options: NotificationQueueOptions<T> = {}) {
    this.#watermark = options.watermark ?? WATERMARK;
    this.#onCancelled = options.onCancelled ?? (() => {});
  }

  get length(): number {
    const inSegment = this.#segment === undefined ? 0 : this.#segment.length - this.#place;
    return (this.#before?.length ?? 0) + inSegment + this.#behind.length;
  }

  get isMerging(): boolean {
    return this.#behind instanceof MergedNotifications;
  }

  push(notification: Notification<T>): void {
    this.#behind.push(notification);
    if (this.#behind.length > this.#watermark && this.#behind instanceof Ring) {
      this.#behind = this.#merged(this.#behind);
    }
  }

  /** Queues a segment as it is. False, and nothing is done, if one is waiting already. */
  attach(segment: Segment<T>): boolean {
    if (this.#segment !== undefined) return false;
    if (segment.length === 0) return true;
    this.#before = this.#behind;
    this.#segment = segment;
    this.#place = 0;
    this.#behind = new Ring();
    return true;
  }

  shift(): Notification<T> | undefined {
    if (this.#segment !== undefined) return this.#before?.shift() ?? this.#shiftSegment(this.#segment);
    const notification = this.#behind.shift();
    if (this.#behind.length === 0 && this.isMerging) this.#behind = new Ring();
    return notification;
  }

  /** Forgets everything. What was merged is returned, to be shifted to its end: it has pinned entries. */
  clear(): MergedNotifications<T>[] {
    const waiting = [this.#before, this.#behind];
    this.#before = undefined;
    this.#segment = undefined;
    this.#behind = new Ring();
    return waiting.filter((part) => part instanceof MergedNotifications);
  }

  #shiftSegment(segment: Segment<T>): Notification<T> {
    const notification = segment.at(this.#place++);
    if (this.#place === segment.length) {
      this.#before = undefined;
      this.#segment = undefined;
    }
    return notification;
  }

  #merged(ring: Ring<Notification<T>>): MergedNotifications<T> {
    const merged = new MergedNotifications(this.#onCancelled);
    for (let next = ring.shift(); next !== undefined; next = ring.shift()) merged.push(next);
    return merged;
  }
}
