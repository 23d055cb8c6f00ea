import type { KubernetesObject } from '../../kube/object.js';
import { Ring } from '../../store/queue/ring.js';
import { MergedNotifications } from './merged-notifications.js';
import type { Notification, Segment } from './notification.js';

/** The initial size of client-go's ring buffer, which grows without bound. Up to here nothing is merged. */
const WATERMARK = 1024;

/** Notifications of a segment that are merged for each one pushed: some 30 µs. */
const MERGED_PER_PUSH = 64;

export interface NotificationQueueOptions<T extends KubernetesObject> {
  /** Length above which notifications of one key are merged. @default 1024 */
  readonly watermark?: number;
  /** Called when an undelivered add and the deletion after it cancelled each other out. */
  readonly onCancelled?: (add: Notification<T>) => void;
  /** Whether the state before a deletion is read. @default true */
  readonly keepsKnown?: boolean;
}

/**
 * The pending notifications of one handler, in order.
 *
 *     [before] │ [segment: 150,000 entries, from position 1,234 to the end] │ [after]
 *
 * Beyond the watermark, the notifications after the segment are merged by key (`MergedNotifications`); then the segment
 * is merged into them, too, step by step from its end, and finally the notifications before it. So memory is bounded by
 * the objects that exist or that the handler knows, however many events occur. There is at most one segment: while one
 * is pending, or while merging, the changes of another relist are pushed one by one.
 */
export class NotificationQueue<T extends KubernetesObject> {
  readonly #watermark: number;
  readonly #onCancelled: (add: Notification<T>) => void;
  readonly #keepsKnown: boolean;
  /** Only while there is a segment. */
  #before: Ring<Notification<T>> | undefined;
  #segment: Segment<T> | undefined;
  #position = 0;
  #end = 0;
  #after: Ring<Notification<T>> | MergedNotifications<T> = new Ring();

  constructor(options: NotificationQueueOptions<T> = {}) {
    this.#watermark = options.watermark ?? WATERMARK;
    this.#onCancelled = options.onCancelled ?? (() => {});
    this.#keepsKnown = options.keepsKnown ?? true;
  }

  get length(): number {
    return (this.#before?.length ?? 0) + this.#end - this.#position + this.#after.length;
  }

  get isMerging(): boolean {
    return this.#after instanceof MergedNotifications;
  }

  push(notification: Notification<T>): void {
    this.#after.push(notification);
    if (this.#after instanceof Ring) {
      if (this.#after.length > this.#watermark) this.#after = this.#merged(this.#after);
    } else if (this.#segment !== undefined) {
      this.#mergeSome(this.#segment, this.#after);
    }
  }

  /**
   * Queues a segment as one item. Returns false, and does nothing, if one is pending already or the queue is merging.
   */
  attach(segment: Segment<T>): boolean {
    if (this.#segment !== undefined || this.#after instanceof MergedNotifications) return false;
    if (segment.length === 0) return true;
    this.#before = this.#after;
    this.#segment = segment;
    this.#position = 0;
    this.#end = segment.length;
    this.#after = new Ring();
    return true;
  }

  shift(): Notification<T> | undefined {
    if (this.#segment !== undefined) return this.#before?.shift() ?? this.#shiftSegment(this.#segment);
    const notification = this.#after.shift();
    if (this.#after.length === 0 && this.isMerging) this.#after = new Ring();
    return notification;
  }

  /** Drops everything. Merged notifications are returned, to be shifted until empty: they have pinned entries. */
  clear(): MergedNotifications<T> | undefined {
    const after = this.#after;
    this.#removeSegment();
    this.#after = new Ring();
    return after instanceof MergedNotifications ? after : undefined;
  }

  #shiftSegment(segment: Segment<T>): Notification<T> {
    const notification = segment.at(this.#position++);
    if (this.#position === this.#end) this.#removeSegment();
    return notification;
  }

  /** An object is in a segment at most once, so any order is correct; from the end, keys stay in list order. */
  #mergeSome(segment: Segment<T>, merged: MergedNotifications<T>): void {
    const stop = Math.max(this.#position, this.#end - MERGED_PER_PUSH);
    while (this.#end > stop) merged.unshift(segment.at(--this.#end));
    if (this.#end > this.#position) return;
    const before: Notification<T>[] = [];
    for (let next = this.#before?.shift(); next !== undefined; next = this.#before?.shift())
      before.push(next);
    for (const notification of before.reverse()) merged.unshift(notification);
    this.#removeSegment();
  }

  #removeSegment(): void {
    this.#before = undefined;
    this.#segment = undefined;
    this.#position = 0;
    this.#end = 0;
  }

  #merged(ring: Ring<Notification<T>>): MergedNotifications<T> {
    const merged = new MergedNotifications(this.#onCancelled, this.#keepsKnown);
    for (let next = ring.shift(); next !== undefined; next = ring.shift()) merged.push(next);
    return merged;
  }
}
