import type { KubernetesObject } from '../../kube/object.js';
import type { Notification, Segment } from './notification.js';

/** Something that wants to be told: a listener with its handler, or an event stream. */
export interface NotificationSink<T extends KubernetesObject> {
  push(notification: Notification<T>): void;
  /** Takes a segment as one item. False if it cannot now; then its notifications are pushed one by one. */
  attach(segment: Segment<T>): boolean;
  /** The informer has synced, and every initial add was pushed. */
  upstreamSynced(): void;
}
