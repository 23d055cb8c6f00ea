import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { Notification, Segment } from './notification.js';

/** Where client-go's ring buffer starts, and where it grows without bound. Up to here every notification is kept as it is. */
const WATERMARK = 1024;

export interface NotificationQueueOptions<T extends KubernetesObject> {
  /** Length above which notifications of one key are merged. @default 1024 */
  readonly watermark?: number;
  /** Called when an add that was never delivered and the deletion after it cancelled each other out. */
  readonly onCancelled?: (add: Notification<T>) => void;
}

interface Node<T extends KubernetesObject> {
  notification: Notification<T>;
  previous: Node<T> | undefined;
  next: Node<T> | undefined;
  /** While merging: the deletion of the same key before this add, and the reverse. */
  deletion: Node<T> | undefined;
  recreation: Node<T> | undefined;
}

/**
 * What one handler has still to be told, in order.
 *
 *     head → [node] [node] │ [segment: 150,000 entries, place 1,234] │ [node] [node] ← tail
 *
 * Up to the watermark nothing is merged. Beyond it, nodes behind the segment are merged by key, and at most two are left of each:
 *
 *     waiting           comes     becomes
 *     add(a)            update b  add(b)                      in its place
 *     update(a→b)       update c  update(a→c)                 in its place: before is what the handler knows
 *     update(a→b)       delete    delete                      in its place
 *     add(a)            delete    nothing                     the handler never knew it
 *     delete            add(b)    delete, add(b)              the edge is kept
 *     anything          resync    as it was                   a change is pending, which says more
 *
 * So memory is bounded by the objects that are alive or that the handler knows, however many events pass by. There is
 * at most one segment: with one waiting, the changes of another relist are pushed one by one.
 */
export class NotificationQueue<T extends KubernetesObject> {
  readonly #watermark: number;
  readonly #onCancelled: (add: Notification<T>) => void;
  #head: Node<T> | undefined;
  #tail: Node<T> | undefined;
  /** Nodes before and behind the segment. Without a segment all nodes are behind it. */
  #nodesBefore = 0;
  #nodesBehind = 0;
  #segment: Segment<T> | undefined;
  #place = 0;
  /** The last node of the queue before the segment. */
  #lastBefore: Node<T> | undefined;
  /** While merging: the last node of each key behind the segment. */
  #lastByKey: Map<Key, Node<T>> | undefined;

  constructor(options: NotificationQueueOptions<T> = {}) {
    this.#watermark = options.watermark ?? WATERMARK;
    this.#onCancelled = options.onCancelled ?? (() => {});
  }

  get length(): number {
    return this.#nodesBefore + this.#nodesBehind + (this.#segment ? this.#segment.length - this.#place : 0);
  }

  get isMerging(): boolean {
    return this.#lastByKey !== undefined;
  }

  push(notification: Notification<T>): void {
    if (this.#lastByKey !== undefined) {
      this.#merge(this.#lastByKey, notification);
      return;
    }
    this.#append(notification);
    if (this.#nodesBehind > this.#watermark) this.#startMerging();
  }

  /** Queues a segment as it is. False, and nothing is done, if one is waiting already. */
  attach(segment: Segment<T>): boolean {
    if (this.#segment !== undefined) return false;
    if (segment.length === 0) return true;
    this.#segment = segment;
    this.#place = 0;
    this.#lastBefore = this.#tail;
    this.#nodesBefore = this.#nodesBehind;
    this.#nodesBehind = 0;
    // Nothing may be merged across the segment: it would overtake what the segment says of the key.
    this.#stopMerging();
    return true;
  }

  shift(): Notification<T> | undefined {
    if (this.#nodesBefore > 0) return this.#shiftBefore();
    if (this.#segment !== undefined) return this.#shiftSegment(this.#segment);
    const node = this.#head;
    if (node === undefined) return undefined;
    this.#unlink(node);
    this.#nodesBehind--;
    if (this.#lastByKey !== undefined) this.#forget(this.#lastByKey, node);
    if (this.#nodesBehind === 0) this.#stopMerging();
    return node.notification;
  }

  clear(): void {
    this.#head = undefined;
    this.#tail = undefined;
    this.#segment = undefined;
    this.#lastBefore = undefined;
    this.#nodesBefore = 0;
    this.#nodesBehind = 0;
    this.#stopMerging();
  }

  #shiftBefore(): Notification<T> | undefined {
    const node = this.#head;
    if (node === undefined) return undefined;
    this.#unlink(node);
    this.#nodesBefore--;
    if (this.#nodesBefore === 0) this.#lastBefore = undefined;
    return node.notification;
  }

  #shiftSegment(segment: Segment<T>): Notification<T> {
    const notification = segment.at(this.#place++);
    if (this.#place === segment.length) this.#segment = undefined;
    return notification;
  }

  #append(notification: Notification<T>, deletion?: Node<T>): Node<T> {
    const node: Node<T> = {
      notification,
      previous: this.#tail,
      next: undefined,
      deletion,
      recreation: undefined,
    };
    if (this.#tail === undefined) this.#head = node;
    else this.#tail.next = node;
    this.#tail = node;
    this.#nodesBehind++;
    return node;
  }

  #unlink(node: Node<T>): void {
    if (node.previous === undefined) this.#head = node.next;
    else node.previous.next = node.next;
    if (node.next === undefined) this.#tail = node.previous;
    else node.next.previous = node.previous;
  }

  #startMerging(): void {
    const lastByKey = new Map<Key, Node<T>>();
    let node = this.#lastBefore === undefined ? this.#head : this.#lastBefore.next;
    this.#tail = this.#lastBefore;
    if (this.#tail === undefined) this.#head = undefined;
    else this.#tail.next = undefined;
    this.#nodesBehind = 0;
    for (; node !== undefined; node = node.next) this.#merge(lastByKey, node.notification);
    this.#lastByKey = lastByKey;
  }

  #stopMerging(): void {
    this.#lastByKey = undefined;
  }

  #merge(lastByKey: Map<Key, Node<T>>, coming: Notification<T>): void {
    const key = coming.entry.key;
    const last = lastByKey.get(key);
    if (last === undefined) {
      lastByKey.set(key, this.#append(coming));
      return;
    }
    const waiting = last.notification;
    if (coming.type === 'update') {
      // A resync says less than whatever is waiting; and what was deleted is not updated.
      if (coming.isResync || waiting.type === 'delete') return;
      last.notification =
        waiting.type === 'add'
          ? { type: 'add', entry: coming.entry, isInInitialList: waiting.isInInitialList }
          : { type: 'update', before: waiting.before, entry: coming.entry, isResync: false };
    } else if (coming.type === 'add') {
      last.recreation = this.#append(coming, last);
      lastByKey.set(key, last.recreation);
    } else if (waiting.type === 'add') {
      this.#cancel(lastByKey, last);
    } else {
      last.notification = coming;
    }
  }

  /** Takes out an add whose object is gone again. */
  #cancel(lastByKey: Map<Key, Node<T>>, add: Node<T>): void {
    this.#unlink(add);
    this.#nodesBehind--;
    const key = add.notification.entry.key;
    if (add.deletion === undefined) {
      lastByKey.delete(key);
    } else {
      add.deletion.recreation = undefined;
      lastByKey.set(key, add.deletion);
    }
    this.#onCancelled(add.notification);
  }

  /** A node was delivered: nothing can be merged into it any more. */
  #forget(lastByKey: Map<Key, Node<T>>, node: Node<T>): void {
    if (node.recreation !== undefined) node.recreation.deletion = undefined;
    else lastByKey.delete(node.notification.entry.key);
  }
}
