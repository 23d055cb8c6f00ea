import type { KubernetesObject } from '../../kube/object.js';
import { Ring } from '../../store/queue/ring.js';
import { MergedNotifications } from './merged-notifications.js';
import type { Notification, Segment } from './notification.js';

/** Where client-go's ring buffer starts, and where it grows without bound. Up to here every notification is kept as it is. */
const WATERMARK = 1024;

/** As many notifications of a segment are merged for each that comes: some 30 µs. */
const MERGED_AT_ONCE = 64;

export interface NotificationQueueOptions<T extends KubernetesObject> {
  /** Length above which notifications of one key are merged. @default 1024 */
  readonly watermark?: number;
  /** Called when an add that was never delivered and the deletion after it cancelled each other out. */
  readonly onCancelled?: (add: Notification<T>) => void;
}

/**
 * What one handler has still to be told, in order.
 *
 *     [before] │ [segment: 150,000 entries, from place 1,234 to end] │ [behind]
 *
 * What waits behind the segment is merged by key beyond the watermark; then the segment is merged with it, too, bit by bit from its end, and
 * in the end what waits before it. So memory is bounded by the objects that are alive or that the handler knows, however many events pass
 * by. There is at most one segment: with one waiting, or while merging, the changes of another relist are pushed one by one.
 */
export class NotificationQueue<T extends KubernetesObject> {
  readonly #watermark: number;
  readonly #onCancelled: (add: Notification<T>) => void;
  /** Only while there is a segment. */
  #before: Ring<Notification<T>> | undefined;
  #segment: Segment<T> | undefined;
  #place = 0;
  #end = 0;
  #behind: Ring<Notification<T>> | MergedNotifications<T> = new Ring();

  constructor(options: NotificationQueueOptions<T> = {}) {
    this.#watermark = options.watermark ?? WATERMARK;
    this.#onCancelled = options.onCancelled ?? (() => {});
  }

  get length(): number {
    return (this.#before?.length ?? 0) + this.#end - this.#place + this.#behind.length;
  }

  get isMerging(): boolean {
    return this.#behind instanceof MergedNotifications;
  }

  push(notification: Notification<T>): void {
    this.#behind.push(notification);
    if (this.#behind instanceof Ring) {
      if (this.#behind.length > this.#watermark) this.#behind = this.#merged(this.#behind);
    } else if (this.#segment !== undefined) {
      this.#mergeSome(this.#segment, this.#behind);
    }
  }

  /** Queues a segment as it is. False, and nothing is done, if one is waiting already, or if the queue is merging. */
  attach(segment: Segment<T>): boolean {
    if (this.#segment !== undefined || this.#behind instanceof MergedNotifications) return false;
    if (segment.length === 0) return true;
    this.#before = this.#behind;
    this.#segment = segment;
    this.#place = 0;
    this.#end = segment.length;
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
  clear(): MergedNotifications<T> | undefined {
    const behind = this.#behind;
    this.#leaveSegment();
    this.#behind = new Ring();
    return behind instanceof MergedNotifications ? behind : undefined;
  }

  #shiftSegment(segment: Segment<T>): Notification<T> {
    const notification = segment.at(this.#place++);
    if (this.#place === this.#end) this.#leaveSegment();
    return notification;
  }

  /** An object is once in a segment at most, so that any order will do; from its end, keys stay in the order of the list. */
  #mergeSome(segment: Segment<T>, merged: MergedNotifications<T>): void {
    const stop = Math.max(this.#place, this.#end - MERGED_AT_ONCE);
    while (this.#end > stop) merged.unshift(segment.at(--this.#end));
    if (this.#end > this.#place) return;
    const before: Notification<T>[] = [];
    for (let next = this.#before?.shift(); next !== undefined; next = this.#before?.shift())
      before.push(next);
    for (const notification of before.reverse()) merged.unshift(notification);
    this.#leaveSegment();
  }

  #leaveSegment(): void {
    this.#before = undefined;
    this.#segment = undefined;
    this.#place = 0;
    this.#end = 0;
  }

  #merged(ring: Ring<Notification<T>>): MergedNotifications<T> {
    const merged = new MergedNotifications(this.#onCancelled);
    for (let next = ring.shift(); next !== undefined; next = ring.shift()) merged.push(next);
    return merged;
  }
}
