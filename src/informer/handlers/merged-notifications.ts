import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import { ShardedMap } from '../../store/shards.js';
import type { Notification } from './notification.js';

const IN_INITIAL_LIST = 1;
const FINAL_STATE_UNKNOWN = 2;
/** A deletion followed by an add. */
const RECREATED = 4;
const RESYNC = 8;

/**
 * What a handler is still to be notified of for one key, as a node of a doubly linked list: from the state that the
 * handler knows to the state that it will know.
 *
 *                previous     next
 *     add        undefined    state
 *     update     state        state
 *     delete     final state  undefined    the state that the handler knows is `known`
 *     recreated  final state  state        two notifications
 */
class Pending<T extends KubernetesObject> {
  nodeBefore: Pending<T> | undefined = undefined;
  nodeAfter: Pending<T> | undefined = undefined;
  previous: Entry<T> | undefined = undefined;
  next: Entry<T> | undefined = undefined;
  /** Of a deletion. */
  known: Entry<T> | undefined = undefined;
  flags = 0;
}

/**
 * How the queue of a slow handler merges: at most one pending notification per key (two after a recreation), in the
 * order in which the keys were first queued. A key keeps its position:
 *
 *     pending           new       becomes
 *     add(a)            update b  add(b)
 *     update(a→b)       update c  update(a→c)                 `before` is what the handler knows
 *     update(a→b)       delete    delete                      `before` is a
 *     add(a)            delete    nothing                     the handler never knew the object
 *     delete            add(b)    delete, add(b)              the handler is notified of the recreation
 *     anything          resync    unchanged                   a pending change supersedes a resync
 *
 * States that the handler knows and the store no longer holds are pinned: they may be pending for long, while newer
 * states come and go.
 */
export class MergedNotifications<T extends KubernetesObject> {
  readonly #onCancelled: (add: Notification<T>) => void;
  readonly #byKey = new ShardedMap<Pending<T>>();
  readonly #keepsKnown: boolean;
  #head: Pending<T> | undefined;
  #tail: Pending<T> | undefined;
  #length = 0;

  /**
   * `onCancelled` is called when an undelivered add and the deletion after it cancelled each other out. Without
   * `keepsKnown`, the state before a deletion is not kept: the handler has no `onDelete`.
   */
  constructor(onCancelled: (add: Notification<T>) => void, keepsKnown = true) {
    this.#onCancelled = onCancelled;
    this.#keepsKnown = keepsKnown;
  }

  get length(): number {
    return this.#length;
  }

  push(notification: Notification<T>): void {
    const waiting = this.#byKey.get(notification.entry.key);
    if (waiting === undefined) {
      this.#insert(notification, this.#tail, undefined);
      return;
    }
    switch (notification.type) {
      case 'update':
        // A pending change supersedes a resync, and a deleted object is not updated.
        if (notification.isResync || waiting.next === undefined) return;
        waiting.next = notification.entry;
        waiting.flags &= ~RESYNC;
        break;
      case 'add':
        waiting.next = notification.entry;
        waiting.flags |= RECREATED | (notification.isInInitialList ? IN_INITIAL_LIST : 0);
        this.#length++;
        break;
      case 'delete':
        if (waiting.previous === undefined || (waiting.flags & RECREATED) !== 0) {
          this.#cancelAdd(waiting, notification.entry.key);
        } else {
          this.#setKnown(waiting, waiting.previous);
          this.#setPrevious(waiting, notification.entry);
          waiting.next = undefined;
          waiting.flags = notification.finalStateUnknown ? FINAL_STATE_UNKNOWN : 0;
        }
    }
  }

  /** Merges a notification from before everything pending. Its key keeps its position, or becomes the first. */
  unshift(earlier: Notification<T>): void {
    const waiting = this.#byKey.get(earlier.entry.key);
    if (waiting === undefined) {
      this.#insert(earlier, undefined, this.#head);
      return;
    }
    const isDeletion = waiting.next === undefined || (waiting.flags & RECREATED) !== 0;
    switch (earlier.type) {
      case 'update':
        if (isDeletion) this.#setKnown(waiting, earlier.before);
        if (earlier.isResync || isDeletion) return;
        this.#setPrevious(waiting, earlier.before);
        waiting.flags &= ~RESYNC;
        break;
      case 'add':
        this.#setPrevious(waiting, undefined);
        this.#setKnown(waiting, undefined);
        if (isDeletion) this.#cancelDeletion(waiting, earlier);
        else waiting.flags = earlier.isInInitialList ? IN_INITIAL_LIST : 0;
        break;
      case 'delete':
        this.#setPrevious(waiting, earlier.entry);
        this.#setKnown(waiting, earlier.before);
        waiting.flags |= RECREATED | (earlier.finalStateUnknown ? FINAL_STATE_UNKNOWN : 0);
        this.#length++;
    }
  }

  shift(): Notification<T> | undefined {
    const pending = this.#head;
    if (pending === undefined) return undefined;
    const notification = nextOf(pending);
    this.#length--;
    if ((pending.flags & RECREATED) !== 0) {
      // The add stays pending, and later notifications are merged into it.
      pending.flags &= IN_INITIAL_LIST;
    } else {
      this.#unlink(pending);
      this.#byKey.delete(notification.entry.key);
    }
    this.#setPrevious(pending, undefined);
    this.#setKnown(pending, undefined);
    return notification;
  }

  #insert(
    notification: Notification<T>,
    nodeBefore: Pending<T> | undefined,
    nodeAfter: Pending<T> | undefined,
  ): void {
    const pending = new Pending<T>();
    if (notification.type === 'add') {
      pending.next = notification.entry;
      if (notification.isInInitialList) pending.flags = IN_INITIAL_LIST;
    } else if (notification.type === 'update') {
      this.#setPrevious(pending, notification.before);
      pending.next = notification.entry;
      if (notification.isResync) pending.flags = RESYNC;
    } else {
      this.#setPrevious(pending, notification.entry);
      this.#setKnown(pending, notification.before);
      if (notification.finalStateUnknown) pending.flags = FINAL_STATE_UNKNOWN;
    }
    pending.nodeBefore = nodeBefore;
    pending.nodeAfter = nodeAfter;
    if (nodeBefore === undefined) this.#head = pending;
    else nodeBefore.nodeAfter = pending;
    if (nodeAfter === undefined) this.#tail = pending;
    else nodeAfter.nodeBefore = pending;
    this.#byKey.set(notification.entry.key, pending);
    this.#length++;
  }

  /** Cancels a pending add whose object was deleted, but not the deletion before it. */
  #cancelAdd(pending: Pending<T>, key: Key): void {
    const add = addOf(pending);
    this.#length--;
    if (pending.previous === undefined) {
      this.#unlink(pending);
      this.#byKey.delete(key);
    } else {
      pending.next = undefined;
      pending.flags &= FINAL_STATE_UNKNOWN;
    }
    this.#onCancelled(add);
  }

  /** Cancels a pending deletion and the add before it, but not the add after it. */
  #cancelDeletion(pending: Pending<T>, add: Notification<T>): void {
    this.#length--;
    if (pending.next === undefined) {
      this.#unlink(pending);
      this.#byKey.delete(add.entry.key);
    } else {
      pending.flags &= IN_INITIAL_LIST;
    }
    this.#onCancelled(add);
  }

  #setPrevious(pending: Pending<T>, entry: Entry<T> | undefined): void {
    entry?.pin?.();
    pending.previous?.unpin?.();
    pending.previous = entry;
  }

  #setKnown(pending: Pending<T>, entry: Entry<T> | undefined): void {
    if (!this.#keepsKnown) return;
    entry?.pin?.();
    pending.known?.unpin?.();
    pending.known = entry;
  }

  #unlink(pending: Pending<T>): void {
    const { nodeBefore, nodeAfter } = pending;
    if (nodeBefore === undefined) this.#head = nodeAfter;
    else nodeBefore.nodeAfter = nodeAfter;
    if (nodeAfter === undefined) this.#tail = nodeBefore;
    else nodeAfter.nodeBefore = nodeBefore;
  }
}

function nextOf<T extends KubernetesObject>(pending: Pending<T>): Notification<T> {
  const { previous, next, known, flags } = pending;
  if (previous === undefined) return addOf(pending);
  if (next === undefined || (flags & RECREATED) !== 0) {
    const finalStateUnknown = (flags & FINAL_STATE_UNKNOWN) !== 0;
    return { type: 'delete', entry: previous, before: known ?? previous, finalStateUnknown };
  }
  return { type: 'update', before: previous, entry: next, isResync: (flags & RESYNC) !== 0 };
}

function addOf<T extends KubernetesObject>({ next, flags }: Pending<T>): Notification<T> {
  return { type: 'add', entry: next as Entry<T>, isInInitialList: (flags & IN_INITIAL_LIST) !== 0 };
}
