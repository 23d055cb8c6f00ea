import type { KubernetesObject } from '../../kube/object.js';
import type { Slice } from '../../util/slice-scheduler.js';
import type { Notification, Segment } from './notification.js';
import type { NotificationSink } from './notification-sink.js';

/** Hands notifications to every sink (client-go's sharedProcessor). Called by the process loop only, so one call at a time. */
export class SharedProcessor<T extends KubernetesObject> {
  readonly #sinks = new Set<NotificationSink<T>>();
  #hasUpstreamSynced = false;

  /** From now on the sink is told; what the store holds now it must have been told before. */
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

  /** To those who are here now. Who joins while this runs has seen the store with all of it. */
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
