import type { KubernetesObject } from '../../kube/object.js';
import type { Slice } from '../../util/slice-scheduler.js';
import type { Notification, Segment } from './notification.js';
import type { NotificationSink } from './notification-sink.js';

/** Distributes notifications to all sinks (client-go's sharedProcessor). Called by the process loop only, serially. */
export class SharedProcessor<T extends KubernetesObject> {
  readonly #sinks = new Set<NotificationSink<T>>();
  #hasUpstreamSynced = false;

  /** The sink receives later changes only; it must have received the present content of the store before. */
  add(sink: NotificationSink<T>): void {
    this.#sinks.add(sink);
    if (this.#hasUpstreamSynced) sink.upstreamSynced();
  }

  remove(sink: NotificationSink<T>): void {
    this.#sinks.delete(sink);
  }

  distribute(notification: Notification<T>): void {
    for (const sink of this.#sinks) sink.push(notification);
  }

  /** To the present sinks. One that is added meanwhile has received the store with these changes. */
  async distributeAll(segment: Segment<T>, slice: Slice, signal: AbortSignal): Promise<void> {
    const busy = [...this.#sinks].filter((sink) => !sink.attach(segment));
    for (const sink of busy) {
      for (let i = 0; i < segment.length; i++) {
        if (!slice.take()) await slice.renew();
        if (signal.aborted || !this.#sinks.has(sink)) break;
        sink.push(segment.at(i));
      }
    }
  }

  upstreamSynced(): void {
    this.#hasUpstreamSynced = true;
    for (const sink of this.#sinks) sink.upstreamSynced();
  }
}
