import type { SharedInformer } from '#dist/src/informer/shared-informer.js';
import type { KubernetesObject } from '#dist/src/kube/object.js';
import { SeededRandom } from '../../support/time/seeded-random.js';
import { keyOf } from '../api-server.js';
import type { Revision } from '../history.js';
import type { EngineContext } from './engine-schedule.js';

/** Longer than an informer remembers a write. */
const TIMEOUT_MS = 3_600_000;
/** The share of the changes that are the program's own. */
const OWN = 0.3;

/**
 * Some changes of the cluster are writes of the program, which it reports to the informer, at once or later. When the
 * informer has caught up with one, the cache must show it or something newer.
 */
export class OwnWriteChecks {
  readonly #context: EngineContext;
  readonly #informer: SharedInformer<KubernetesObject>;
  /** Of its own, so that the faults of a seed do not depend on what is checked. */
  readonly #random: SeededRandom;
  readonly #waiting = new Set<string>();
  #reported: number;

  constructor(context: EngineContext, informer: SharedInformer<KubernetesObject>, seed: number) {
    this.#context = context;
    this.#informer = informer;
    this.#random = new SeededRandom(seed ^ 0x5eed);
    this.#reported = context.history.latest;
  }

  /** Reports some of the changes since the last call. */
  report(): void {
    const { history } = this.#context;
    while (this.#reported < history.latest) {
      this.#reported++;
      if (this.#random.chance(OWN)) this.#report(this.#reported);
    }
  }

  /** The cache equals the server's state: nothing is left to wait for. */
  checkAllSeen(): void {
    for (const key of this.#waiting) {
      if (!this.#informer.isCaughtUp(key)) this.#context.violate(`an own write of ${key} was never seen`);
    }
  }

  #report(revision: number): void {
    const { history, trace } = this.#context;
    const { type, name, uid, resourceVersion } = history.change(revision);
    const key = keyOf(name);
    const metadata = { name, namespace: key.split('/')[0] ?? '', uid };
    trace.count(`path own ${type === 'DELETED' ? 'deletion' : 'write'} reported`);
    if (type === 'DELETED') {
      const before = history.stateAt(revision - 1).get(name)?.resourceVersion ?? '';
      const deleted = { metadata: { ...metadata, resourceVersion: before } };
      this.#informer.wroteDelete(deleted, { kind: 'Status', status: 'Success', details: { uid } });
    } else this.#informer.wrote({ metadata: { ...metadata, resourceVersion } });
    if (!this.#informer.isCaughtUp(key)) trace.count('path own write not seen at once');
    this.#waiting.add(key);
    void this.#wait(key, revision);
  }

  async #wait(key: string, revision: number): Promise<void> {
    try {
      await this.#informer.caughtUp(key, { timeoutMs: TIMEOUT_MS });
    } catch {
      // Forgotten after some minutes, or the end of the run.
      this.#context.trace.count('path own write given up');
      return;
    }
    if (!this.#isShown(key, this.#context.history.change(revision), revision)) {
      this.#context.violate(
        `the cache does not show the own write ${key}@${revision}, although it has caught up`,
      );
    }
  }

  #isShown(key: string, { type, uid }: Revision, revision: number): boolean {
    const { exemptions, history } = this.#context;
    if (exemptions.has(key)) return true;
    const { indexer } = this.#informer;
    const entry = indexer.getByKey(key);
    // Whether it is what the server had at its version is checked elsewhere; a false bookmark is not its fault.
    if (history.revisionOf(indexer.lastStoreSyncResourceVersion) >= revision) return true;
    if (type === 'DELETED') return entry?.uid !== uid;
    return entry !== undefined && history.revisionOf(entry.resourceVersion) >= revision;
  }
}
