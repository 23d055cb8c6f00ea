import type { KubernetesObject } from '../../kube/object.js';
import type { Clock } from '../../util/clock.js';
import { HandlerError, KubeflectError } from '../../util/errors.js';
import { Latch } from '../../util/latch.js';
import type { SliceScheduler } from '../../util/slice-scheduler.js';
import type { AddDetails, ResourceEventHandler, UpdateDetails } from './event-handler.js';
import type { Notification } from './notification.js';
import { NotificationSink } from './notification-sink.js';

/** A synchronous callback longer than this is reported: it blocks the main thread. */
const SLOW_CALL_MS = 100;

// What handlers are passed besides entries; shared by all calls.
const ADD: AddDetails = Object.freeze({ isInInitialList: false });
const INITIAL_ADD: AddDetails = Object.freeze({ isInInitialList: true });
const UPDATE: UpdateDetails = Object.freeze({ isResync: false });
const RESYNC: UpdateDetails = Object.freeze({ isResync: true });

export interface ProcessorListenerOptions<T extends KubernetesObject> {
  readonly handler: ResourceEventHandler<T>;
  readonly name: string;
  readonly clock: Clock;
  readonly slices: SliceScheduler;
  /** How long a callback may take to settle before it is reported. */
  readonly slowHandlerMs: number;
  readonly watermark?: number;
  readonly report: (error: HandlerError) => void;
}

/**
 * Calls one handler, one notification at a time, in slices (client-go's processorListener). A faulty handler affects
 * only itself: throwing skips a notification, hanging makes its queue merge by key.
 *
 * It begins in a microtask, after the process loop has applied what it has and in the same turn of the event loop: the
 * handler is never called while the store is being written.
 */
export class ProcessorListener<T extends KubernetesObject> extends NotificationSink<T> {
  readonly name: string;
  readonly #handler: ResourceEventHandler<T>;
  readonly #options: ProcessorListenerOptions<T>;
  readonly #synced = new Latch();
  /** Present while notifications are pending; resolves when none are left. */
  #pumping: Promise<void> | undefined;
  #callStartedAt: number | undefined;
  #watchdog: { cancel(): void } | undefined;
  #onStop: () => void = () => {};

  constructor(options: ProcessorListenerOptions<T>) {
    super(options.slices, {
      keepsKnown: options.handler.onDelete !== undefined,
      ...(options.watermark !== undefined && { watermark: options.watermark }),
    });
    this.name = options.name;
    this.#handler = options.handler;
    this.#options = options;
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** When the running asynchronous callback began. */
  get callStartedAt(): number | undefined {
    return this.#callStartedAt;
  }

  /** Registers a callback for when the listener is stopped. */
  onStop(onStop: () => void): void {
    if (this.isClosed) onStop();
    else this.#onStop = onStop;
  }

  /**
   * Takes effect at once: nothing more is queued, and queued notifications are dropped unless `drain` is set. Resolves
   * when the last callback has settled.
   */
  async stop(options: { readonly drain: boolean }): Promise<void> {
    const closed = this.close({ drop: !options.drain });
    this.#onStop();
    if (options.drain) await this.#pumping;
    else this.#watchdog?.cancel();
    this.#synced.fail(
      new KubeflectError(
        'KUBEFLECT_INFORMER_STOPPED',
        `handler "${this.name}" was removed, or its informer stopped, before it had seen the initial list`,
      ),
    );
    await closed;
    await this.#pumping;
  }

  protected override wake(): void {
    if (this.pending > 0) this.#pumping ??= this.#pump();
  }

  protected override onSynced(): void {
    this.#synced.open();
  }

  async #pump(): Promise<void> {
    await undefined;
    const slice = this.#options.slices.open();
    let previous: Notification<T> | undefined;
    let startedAtMs = 0;
    for (;;) {
      const hasTime = slice.take();
      if (previous !== undefined) this.#checkDuration(previous, slice.nowMs - startedAtMs);
      previous = undefined;
      if (!hasTime) await slice.renew();
      const notification = this.shift();
      if (notification === undefined) break;
      startedAtMs = slice.nowMs;
      previous = notification;
      const settled = this.#notify(notification, startedAtMs);
      if (settled === undefined) continue;
      slice.suspend();
      this.#checkDuration(notification, slice.nowMs - startedAtMs);
      previous = undefined;
      await settled;
    }
    this.#pumping = undefined;
  }

  /** A promise only if the handler returned one; never throws, never rejects. */
  #notify(notification: Notification<T>, startedAtMs: number): Promise<void> | undefined {
    let isSettledLater = false;
    try {
      const result = this.#call(notification);
      if (isThenable(result)) {
        isSettledLater = true;
        return this.#settle(notification, result, startedAtMs);
      }
    } catch (error) {
      this.#reportFailure(notification, error);
    } finally {
      // client-go skips this when a handler panics, and the handle never syncs (kubernetes#129024).
      if (!isSettledLater) this.finished(notification);
    }
    return undefined;
  }

  /** `tookMs`: of the synchronous part of the callback. */
  #checkDuration(notification: Notification<T>, tookMs: number): void {
    if (tookMs <= SLOW_CALL_MS) return;
    this.#reportSlow(notification, `held the main thread for ${Math.round(tookMs)} ms`);
  }

  async #settle(notification: Notification<T>, result: PromiseLike<void>, startedAt: number): Promise<void> {
    const { clock, slowHandlerMs } = this.#options;
    this.#callStartedAt = startedAt;
    this.#watchdog = clock.schedule(() => {
      this.#reportSlow(
        notification,
        `has not settled for ${slowHandlerMs} ms; it is not called again before it does`,
      );
    }, slowHandlerMs);
    try {
      await result;
    } catch (error) {
      this.#reportFailure(notification, error);
    } finally {
      this.#watchdog.cancel();
      this.#callStartedAt = undefined;
      this.finished(notification);
    }
  }

  #call(notification: Notification<T>): void | Promise<void> {
    switch (notification.type) {
      case 'add':
        return this.#handler.onAdd?.(notification.entry, notification.isInInitialList ? INITIAL_ADD : ADD);
      case 'update':
        return this.#handler.onUpdate?.(
          notification.before,
          notification.entry,
          notification.isResync ? RESYNC : UPDATE,
        );
      case 'delete': {
        const { entry, before, finalStateUnknown } = notification;
        return this.#handler.onDelete?.(entry, { finalStateUnknown, before });
      }
    }
  }

  #reportFailure({ type, entry }: Notification<T>, cause: unknown): void {
    const message = `handler "${this.name}" failed on ${type} of ${entry.key}; the notification is skipped`;
    this.#options.report(
      new HandlerError('KUBEFLECT_HANDLER_FAILED', message, {
        handlerName: this.name,
        key: entry.key,
        cause,
      }),
    );
  }

  #reportSlow({ type, entry }: Notification<T>, what: string): void {
    const message = `handler "${this.name}" ${what}, on ${type} of ${entry.key}`;
    this.#options.report(
      new HandlerError('KUBEFLECT_HANDLER_SLOW', message, { handlerName: this.name, key: entry.key }),
    );
  }
}

function isThenable(value: unknown): value is PromiseLike<void> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}
