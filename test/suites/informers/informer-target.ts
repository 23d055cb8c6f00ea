import type { ApiClient } from '../../conformance/harness/client.js';

/** A server for the informer suites. */
export interface InformerTarget {
  /** The kubeconfig of a cluster admin, as YAML. */
  readonly kubeConfig: string;
  readonly api: ApiClient;
  /** The number of events of one resource that the history keeps, and the age that an event must have to expire. */
  readonly history: { readonly events: number; readonly ageMs: number };
  /** The longest time between two bookmarks of a watch without events. */
  readonly bookmarkMs: number;
  close(): Promise<void>;
}

/** A server that can be filled with pods, and can fail. */
export interface FailingTarget extends InformerTarget {
  /** Creates pods in several namespaces. To be called before any watch. */
  fillPods(count: number): Promise<void>;
  /** Restarts the API server at the same address with the same data and without its watch history; `crash` closes no connection cleanly. */
  restart(how: 'crash' | 'shutdown'): Promise<void>;
}
