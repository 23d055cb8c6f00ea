import type { KubernetesObject } from '../../kube/object.js';
import type { ProcessorListener } from './processor-listener.js';

export interface RemoveOptions {
  /** True to deliver queued notifications first; false, as in client-go, to drop them. @default false */
  readonly drain?: boolean;
}

/** Returned by `addEventHandler` (client-go's ResourceEventHandlerRegistration); a new one for each call. */
export class HandlerRegistration<T extends KubernetesObject = KubernetesObject> {
  readonly #listener: ProcessorListener<T>;
  readonly #remove: (options: RemoveOptions) => Promise<void>;

  constructor(listener: ProcessorListener<T>, remove: (options: RemoveOptions) => Promise<void>) {
    this.#listener = listener;
    this.#remove = remove;
  }

  get name(): string {
    return this.#listener.name;
  }

  /** True once this handler's calls for every object of the initial list have returned. */
  get hasSynced(): boolean {
    return this.#listener.hasSynced;
  }

  /** Resolves when `hasSynced`; rejects with `KUBEFLECT_INFORMER_STOPPED` if that can no longer happen. */
  get synced(): Promise<void> {
    return this.#listener.synced;
  }

  /** Notifications that are queued for the handler. */
  get pending(): number {
    return this.#listener.pending;
  }

  /** The same as the informer's `removeEventHandler`. */
  remove(options: RemoveOptions = {}): Promise<void> {
    return this.#remove(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }
}
