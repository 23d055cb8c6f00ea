import type { KubernetesObject } from '../../kube/object.js';
import type { ProcessorListener } from './processor-listener.js';

export interface RemoveOptions {
  /** True to tell the handler what is still queued for it; false, as in client-go, to drop it. @default false */
  readonly drain?: boolean;
}

/** What `addEventHandler` returns (client-go's ResourceEventHandlerRegistration). One per call, also for the same handler. */
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

  /** Notifications that the handler has still to be told. */
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
