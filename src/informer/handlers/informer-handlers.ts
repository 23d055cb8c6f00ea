import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import { onAbort } from '../../util/abort.js';
import type { Clock } from '../../util/clock.js';
import type { KubeflectError } from '../../util/errors.js';
import type { SliceScheduler } from '../../util/slice-scheduler.js';
import type { InformerMetrics } from '../informer-metrics.js';
import type { ResyncPlan } from '../resync-plan.js';
import type { AddEventHandlerOptions, EventsOptions } from '../shared-informer-options.js';
import { checkHandler, type ResourceEventHandler } from './event-handler.js';
import { EventStream, type InformerEvent } from './event-stream.js';
import { HandlerRegistration, type RemoveOptions } from './handler-registration.js';
import { Segment } from './notification.js';
import type { NotificationSink } from './notification-sink.js';
import { ProcessorListener } from './processor-listener.js';
import type { SharedProcessor } from './shared-processor.js';

export interface InformerHandlersOptions<T extends KubernetesObject> {
  readonly processor: SharedProcessor<T>;
  readonly resyncPlan: Pick<ResyncPlan<NotificationSink<T>>, 'add' | 'remove'>;
  readonly metrics: Pick<InformerMetrics<T>, 'handler' | 'removeHandler'>;
  readonly clock: Clock;
  readonly slices: SliceScheduler;
  /** Of handlers without one of their own. */
  readonly resyncPeriodMs: number;
  readonly slowHandlerMs: number;
  readonly mergeAbove: number | undefined;
  readonly report: (error: KubeflectError) => void;
  readonly isStarted: () => boolean;
  /** Calls back with what a sink that is added now must be notified of first, while the store does not change. */
  readonly withKnown: (join: (known: readonly Entry<T>[]) => void) => void;
}

/** The handlers and event streams of an informer, from their registration to their end. */
export class InformerHandlers<T extends KubernetesObject> {
  readonly #options: InformerHandlersOptions<T>;
  readonly #registrations = new Map<HandlerRegistration<T>, ProcessorListener<T>>();
  /** Removed, but still running a callback. */
  readonly #leaving = new Set<ProcessorListener<T>>();
  readonly #streams = new Set<EventStream<T>>();
  #named = 0;

  constructor(options: InformerHandlersOptions<T>) {
    this.#options = options;
  }

  /** Of the handlers that are registered. */
  get listeners(): Iterable<ProcessorListener<T>> {
    return this.#registrations.values();
  }

  /** See `SharedInformer.addEventHandler`. */
  add(handler: ResourceEventHandler<T>, options: AddEventHandlerOptions): HandlerRegistration<T> {
    checkHandler(handler);
    const { resyncPlan, metrics, clock, slices, slowHandlerMs, mergeAbove, report, isStarted } =
      this.#options;
    const listener = new ProcessorListener<T>({
      handler,
      name: options.name ?? this.#nameOf(handler),
      clock,
      slices,
      slowHandlerMs,
      ...(mergeAbove === undefined ? {} : { watermark: mergeAbove }),
      report,
    });
    const registration: HandlerRegistration<T> = new HandlerRegistration(listener, (removal) =>
      this.remove(registration, removal),
    );
    this.#registrations.set(registration, listener);
    metrics.handler(listener.name, () => listener.pending);
    resyncPlan.add(listener, options.resyncPeriodMs ?? this.#options.resyncPeriodMs, isStarted());
    this.#join(listener, () => this.#registrations.has(registration));
    if (options.signal !== undefined) {
      listener.onStop(onAbort(options.signal, () => void registration.remove()));
    }
    return registration;
  }

  /** See `SharedInformer.removeEventHandler`. */
  async remove(registration: HandlerRegistration<T>, options: RemoveOptions): Promise<void> {
    const listener = this.#registrations.get(registration);
    if (listener === undefined) return;
    const { processor, resyncPlan, metrics } = this.#options;
    this.#registrations.delete(registration);
    processor.remove(listener);
    resyncPlan.remove(listener);
    metrics.removeHandler(listener.name);
    this.#leaving.add(listener);
    await listener.stop({ drain: options.drain ?? false });
    this.#leaving.delete(listener);
  }

  /** See `SharedInformer.events`. `isStopped`: the informer is, and so the stream has ended. */
  stream(options: EventsOptions, isStopped: boolean): AsyncIterableIterator<InformerEvent<T>> {
    let release = (): void => {};
    const stream: EventStream<T> = new EventStream(this.#options.slices, () => {
      release();
      this.#streams.delete(stream);
      this.#options.processor.remove(stream);
    });
    if (isStopped || options.signal?.aborted) {
      void stream.end();
      return stream;
    }
    this.#streams.add(stream);
    this.#join(stream, () => this.#streams.has(stream));
    if (options.signal !== undefined) release = onAbort(options.signal, () => void stream.end());
    return stream;
  }

  /** Takes effect at once. Resolves when everything has ended. */
  async stop({ drain }: { readonly drain: boolean }): Promise<void> {
    const streams = [...this.#streams].map((stream) => stream.end());
    for (const registration of [...this.#registrations.keys()]) void this.remove(registration, { drain });
    await Promise.all([...streams, ...[...this.#leaving].map((listener) => listener.stop({ drain }))]);
  }

  /** Before the start the store is empty, with nothing to replay. */
  #join(sink: NotificationSink<T>, isWanted: () => boolean): void {
    const { processor, isStarted, withKnown } = this.#options;
    if (!isStarted()) {
      processor.add(sink);
      return;
    }
    withKnown((known) => {
      if (!isWanted()) return;
      sink.attach(Segment.ofReplay(known));
      processor.add(sink);
    });
  }

  #nameOf(handler: ResourceEventHandler<T>): string {
    const className = handler.constructor?.name;
    const number = ++this.#named;
    return className === undefined || className === '' || className === 'Object'
      ? `handler-${number}`
      : `${className}-${number}`;
  }
}
