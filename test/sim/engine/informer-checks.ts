import { isDeepStrictEqual } from 'node:util';
import type { SharedInformer } from '#dist/src/informer/shared-informer.js';
import { compareResourceVersion } from '#dist/src/kube/compare-resource-version.js';
import type { KubernetesObject } from '#dist/src/kube/object.js';
import { type ApiServer, keyOf } from '../api-server.js';
import type { Live } from '../history.js';
import { identity } from './checking-handler.js';
import type { EngineContext } from './engine-schedule.js';
import { nodeOf, objectOf } from './sim-objects.js';

/** The highest `mergeAbove` of createInformer. */
const MAX_MERGE_ABOVE = 20;

/** The invariants of an informer, checked after every timer. */
export class InformerChecks {
  readonly #context: EngineContext;
  readonly #server: ApiServer;
  readonly #informer: SharedInformer<KubernetesObject>;
  #version = '';
  #hadSynced = false;
  #requestsWhenSynced = 0;
  #checked = '';
  readonly #maxPending: number;

  constructor(
    context: EngineContext,
    server: ApiServer,
    informer: SharedInformer<KubernetesObject>,
    maxObjects: number,
  ) {
    // Unmerged notifications, a complete list, and two notifications for each key behind it.
    this.#maxPending = MAX_MERGE_ABOVE * 2 + maxObjects * 5;
    this.#context = context;
    this.#server = server;
    this.#informer = informer;
  }

  check(): void {
    const { indexer, hasSynced } = this.#informer;
    const version = indexer.lastStoreSyncResourceVersion;
    for (const key of this.#server.omittedKeys) this.#context.exempt(key);
    this.#server.omittedKeys.clear();
    if (hasSynced && !this.#hadSynced) this.#requestsWhenSynced = this.#server.requests.length;
    if (this.#hadSynced && !hasSynced) this.#context.violate('the informer is no longer synced');
    if (hasSynced && version === '') this.#context.violate('synced without a version');
    this.#hadSynced = hasSynced;
    // Skips the checks if nothing has changed.
    const fingerprint = `${version} ${indexer.size} ${hasSynced}`;
    if (version === '' || fingerprint === this.#checked) return;
    this.#checked = fingerprint;
    if (compareResourceVersion(version, this.#version) === -1) {
      this.#context.violate(`the store's version decreased from ${this.#version} to ${version}`);
    }
    this.#version = version;
    // Before it has synced, the first list may be partly applied.
    if (hasSynced) this.#checkContents(version);
    this.#checkIndex();
    this.#checkQueues();
  }

  /** True if the cache equals the server's current state. */
  get matchesServer(): boolean {
    return this.#informer.hasSynced && this.differences().length === 0;
  }

  /** True if the cache differs from the server's state only in unreadable list items. */
  get differsOnlyInExempt(): boolean {
    return (
      this.#informer.hasSynced &&
      this.differences().every((difference) => this.#isExempt(difference.split(' ')[0] ?? ''))
    );
  }

  differences(): string[] {
    const { history } = this.#context;
    return this.#compare(history.stateAt(history.latest));
  }

  foldMatchesServer(fold: ReadonlyMap<string, string>): boolean {
    const { history } = this.#context;
    const expected = new Map(
      [...history.stateAt(history.latest).values()].map((live) => [
        keyOf(live.name),
        `${live.uid}@${live.resourceVersion}`,
      ]),
    );
    return fold.size === expected.size && [...fold].every(([key, value]) => expected.get(key) === value);
  }

  /** If only resumable faults occurred, there was one list. */
  checkNoRelist(): void {
    const { isResumable, trace } = this.#context;
    // Three very short watches in a row are a reason for a relist.
    if (!isResumable || trace.counters.has('path watch-ended very-short relist')) return;
    const again = this.#server.requests
      .slice(this.#requestsWhenSynced)
      .filter(({ kind }) => kind !== 'watch');
    if (again.length > 0) this.#context.violate(`${again.length} relists while the history was available`);
    else trace.count('path no list while the version held');
  }

  /**
   * The cache equals the server's state at the cache's version, except for keys that change later: a watch from that version
   * sends those changes. (A worker without credits merges by key and omits states that are older than what it will send.)
   */
  #checkContents(version: string): void {
    const { history } = this.#context;
    const revision = history.revisionOf(version);
    if (Number.isNaN(revision)) {
      this.#context.violate(`version ${version} was never sent by the server`);
      return;
    }
    if (this.#server.falseBookmarks.has(version)) return;
    for (const difference of this.#compare(history.stateAt(revision))) {
      const key = difference.split(' ')[0] ?? '';
      if (this.#isExempt(key) || this.#changesAfter(key, revision)) continue;
      this.#context.violate(`at ${version} the cache differs from the server: ${difference}`);
    }
  }

  #compare(expected: ReadonlyMap<string, Live>): string[] {
    const { indexer } = this.#informer;
    const differing: string[] = [];
    for (const live of expected.values()) {
      const key = keyOf(live.name);
      const entry = indexer.getByKey(key);
      if (entry === undefined) differing.push(`${key} is missing`);
      else if (identity(entry) !== `${live.uid}@${live.resourceVersion}`) {
        differing.push(`${key} is ${identity(entry)}, not ${live.uid}@${live.resourceVersion}`);
      } else if (!isDeepStrictEqual(entry.object, objectOf(live)))
        differing.push(`${key} has other contents`);
    }
    for (const entry of indexer.entries()) {
      if (!expected.has(entry.name)) differing.push(`${entry.key} was deleted`);
    }
    return differing;
  }

  #changesAfter(key: string, revision: number): boolean {
    const { history } = this.#context;
    for (let later = revision + 1; later <= history.latest; later++) {
      if (keyOf(history.change(later).name) === key) return true;
    }
    return false;
  }

  /** A key is exempt until the cache has a newer state than the unreadable one. */
  #isExempt(key: string): boolean {
    const { exemptions, history } = this.#context;
    const since = exemptions.get(key);
    if (since === undefined) return false;
    const entry = this.#informer.indexer.getByKey(key);
    const isNewer = entry !== undefined && history.revisionOf(entry.resourceVersion) > since;
    if (isNewer) exemptions.delete(key);
    return !isNewer;
  }

  /** The queue of a handler is bounded by the number of objects, however slow the handler is. */
  #checkQueues(): void {
    for (const { name, pending, isMerging } of this.#informer.health().handlers) {
      if (isMerging) this.#context.trace.count('path merging for a handler');
      if (pending > this.#maxPending) this.#context.violate(`${pending} notifications wait for ${name}`);
    }
  }

  #checkIndex(): void {
    const { indexer } = this.#informer;
    const expected = new Map<string, string[]>();
    for (const entry of indexer.entries()) {
      const node = nodeOf(entry);
      expected.set(node, [...(expected.get(node) ?? []), entry.key].sort());
    }
    const values = indexer.listIndexFuncValues('byNode').sort();
    if (!isDeepStrictEqual(values, [...expected.keys()].sort())) {
      this.#context.violate(
        `the index has ${values.join()}, the objects ${[...expected.keys()].sort().join()}`,
      );
    }
    for (const [node, keys] of expected) {
      const keysOfNode = indexer.indexKeys('byNode', node);
      if (!isDeepStrictEqual([...keysOfNode], keys))
        this.#context.violate(`the index of ${node} has ${keysOfNode.join()}`);
    }
  }
}
