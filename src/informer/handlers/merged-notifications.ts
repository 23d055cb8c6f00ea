import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import { ShardedMap } from '../../store/sharded-map.js';
import type { Notification } from './notification.js';

/** As many Maps as so many keys want: one that outgrows its memory would stall the main thread. */
const MANY_KEYS = 1_000_000;

const IN_INITIAL_LIST = 1;
const FINAL_STATE_UNKNOWN = 2;
/** A deletion that an add follows. */
const RECREATED = 4;
const RESYNC = 8;

/**
 * What one handler has still to be told of one key, in a place of the queue:
 *
 *                known        told
 *     add        undefined    state
 *     update     state        state
 *     delete     final state  undefined
 *     recreated  final state  state        two notifications
 */
class Pending<T extends KubernetesObject> {
  previous: Pending<T> | undefined = undefined;
  next: Pending<T> | undefined = undefined;
  known: Entry<T> | undefined = undefined;
  told: Entry<T> | undefined = undefined;
  flags = 0;
}

/**
 * Notifications merged by key, in the order in which their keys came:
 *
 *     waiting           comes     becomes
 *     add(a)            update b  add(b)                      in its place
 *     update(a→b)       update c  update(a→c)                 in its place: before is what the handler knows
 *     update(a→b)       delete    delete                      in its place
 *     add(a)            delete    nothing                     the handler never knew it
 *     delete            add(b)    delete, add(b)              in its place: the edge is kept
 *     anything          resync    as it was                   a change is pending, which says more
 *
 * What a handler knows and the store no longer holds is pinned: it may wait for long, among states that go by.
 */
export class MergedNotifications<T extends KubernetesObject> {
  readonly #onCancelled: (add: Notification<T>) => void;
  readonly #byKey = new ShardedMap<Pending<T>>(MANY_KEYS);
  #head: Pending<T> | undefined;
  #tail: Pending<T> | undefined;
  #length = 0;

  /** `onCancelled` is called when an add that was never delivered and the deletion after it cancelled each other out. */
  constructor(onCancelled: (add: Notification<T>) => void) {
    this.#onCancelled = onCancelled;
  }

  get length(): number {
    return this.#length;
  }

  push(coming: Notification<T>): void {
    const waiting = this.#byKey.get(coming.entry.key);
    if (waiting === undefined) {
      this.#insert(coming, this.#tail, undefined);
      return;
    }
    switch (coming.type) {
      case 'update':
        // A resync says less than whatever is waiting; and what was deleted is not updated.
        if (coming.isResync || waiting.told === undefined) return;
        waiting.told = coming.entry;
        waiting.flags &= ~RESYNC;
        break;
      case 'add':
        waiting.told = coming.entry;
        waiting.flags |= RECREATED | (coming.isInInitialList ? IN_INITIAL_LIST : 0);
        this.#length++;
        break;
      case 'delete':
        if (waiting.known === undefined || (waiting.flags & RECREATED) !== 0) {
          this.#cancelAdd(waiting, coming.entry.key);
        } else {
          this.#know(waiting, coming.entry);
          waiting.told = undefined;
          waiting.flags = coming.finalStateUnknown ? FINAL_STATE_UNKNOWN : 0;
        }
    }
  }

  /** For what came before everything that waits. Its key keeps the place that it has, or is the first. */
  unshift(earlier: Notification<T>): void {
    const waiting = this.#byKey.get(earlier.entry.key);
    if (waiting === undefined) {
      this.#insert(earlier, undefined, this.#head);
      return;
    }
    const isDeletion = waiting.told === undefined || (waiting.flags & RECREATED) !== 0;
    switch (earlier.type) {
      case 'update':
        if (earlier.isResync || isDeletion) return;
        this.#know(waiting, earlier.before);
        waiting.flags &= ~RESYNC;
        break;
      case 'add':
        this.#know(waiting, undefined);
        if (isDeletion) this.#cancelDeletion(waiting, earlier);
        else waiting.flags = earlier.isInInitialList ? IN_INITIAL_LIST : 0;
        break;
      case 'delete':
        this.#know(waiting, earlier.entry);
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
      // The add stays, and goes on being merged.
      pending.flags &= IN_INITIAL_LIST;
    } else {
      this.#unlink(pending);
      this.#byKey.delete(notification.entry.key);
    }
    this.#know(pending, undefined);
    return notification;
  }

  #insert(
    notification: Notification<T>,
    previous: Pending<T> | undefined,
    next: Pending<T> | undefined,
  ): void {
    const pending = new Pending<T>();
    if (notification.type === 'add') {
      pending.told = notification.entry;
      if (notification.isInInitialList) pending.flags = IN_INITIAL_LIST;
    } else if (notification.type === 'update') {
      this.#know(pending, notification.before);
      pending.told = notification.entry;
      if (notification.isResync) pending.flags = RESYNC;
    } else {
      this.#know(pending, notification.entry);
      if (notification.finalStateUnknown) pending.flags = FINAL_STATE_UNKNOWN;
    }
    pending.previous = previous;
    pending.next = next;
    if (previous === undefined) this.#head = pending;
    else previous.next = pending;
    if (next === undefined) this.#tail = pending;
    else next.previous = pending;
    this.#byKey.set(notification.entry.key, pending);
    this.#length++;
  }

  /** Takes back an add whose object is gone again, but not the deletion before it. */
  #cancelAdd(pending: Pending<T>, key: Key): void {
    const add = addOf(pending);
    this.#length--;
    if (pending.known === undefined) {
      this.#unlink(pending);
      this.#byKey.delete(key);
    } else {
      pending.told = undefined;
      pending.flags &= FINAL_STATE_UNKNOWN;
    }
    this.#onCancelled(add);
  }

  /** Takes out a deletion and the add before it, but not the add after it. */
  #cancelDeletion(pending: Pending<T>, add: Notification<T>): void {
    this.#length--;
    if (pending.told === undefined) {
      this.#unlink(pending);
      this.#byKey.delete(add.entry.key);
    } else {
      pending.flags &= IN_INITIAL_LIST;
    }
    this.#onCancelled(add);
  }

  #know(pending: Pending<T>, entry: Entry<T> | undefined): void {
    entry?.pin?.();
    pending.known?.unpin?.();
    pending.known = entry;
  }

  #unlink(pending: Pending<T>): void {
    if (pending.previous === undefined) this.#head = pending.next;
    else pending.previous.next = pending.next;
    if (pending.next === undefined) this.#tail = pending.previous;
    else pending.next.previous = pending.previous;
  }
}

function nextOf<T extends KubernetesObject>(pending: Pending<T>): Notification<T> {
  const { known, told, flags } = pending;
  if (known === undefined) return addOf(pending);
  if (told === undefined || (flags & RECREATED) !== 0) {
    return { type: 'delete', entry: known, finalStateUnknown: (flags & FINAL_STATE_UNKNOWN) !== 0 };
  }
  return { type: 'update', before: known, entry: told, isResync: (flags & RESYNC) !== 0 };
}

function addOf<T extends KubernetesObject>({ told, flags }: Pending<T>): Notification<T> {
  return { type: 'add', entry: told as Entry<T>, isInInitialList: (flags & IN_INITIAL_LIST) !== 0 };
}
