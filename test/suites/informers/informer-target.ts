import type { ApiClient } from '../../conformance/harness/client.js';

/** A server that informers are run against. */
export interface InformerTarget {
  /** Of a user who may do everything; its text. */
  readonly kubeConfig: string;
  readonly api: ApiClient;
  /** How many changes of one resource a watch can go back over, and how old the first of them must be before it is forgotten. */
  readonly history: { readonly events: number; readonly ageMs: number };
  /** Longest time between two bookmarks of a quiet watch. */
  readonly bookmarkMs: number;
  close(): Promise<void>;
}

/** One that can be filled and can fail. */
export interface FailingTarget extends InformerTarget {
  /** That many pods, in several namespaces; before anybody watches. */
  fillPods(count: number): Promise<void>;
  /** The API server is gone, `crash` without a goodbye, and comes back in the same place with the same data and none of its watch history. */
  restart(how: 'crash' | 'shutdown'): Promise<void>;
}
