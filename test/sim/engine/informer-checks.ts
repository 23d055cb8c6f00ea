import { isDeepStrictEqual } from 'node:util';
import type { SharedInformer } from '#dist/src/informer/shared-informer.js';
import { compareResourceVersion } from '#dist/src/kube/compare-resource-version.js';
import type { KubernetesObject } from '#dist/src/kube/object.js';
import { type ApiServer, keyOf } from '../api-server.js';
import type { Live } from '../history.js';
import { identity } from './checking-handler.js';
import type { EngineWorld } from './engine-schedule.js';
import { nodeOf, objectOf } from './sim-objects.js';

/** The highest `mergeAbove` that worlds choose. */
const MOST_MERGE_ABOVE = 20;

/** What must hold of an informer whenever one looks (S1 to S4, S8, S13, S16 of spec/reliability.md). */
export class InformerChecks {
  readonly #world: EngineWorld;
  readonly #server: ApiServer;
  readonly #informer: SharedInformer<KubernetesObject>;
  #version = '';
  #hadSynced = false;
  #requestsWhenSynced = 0;
  #checked = '';
  readonly #mostPending: number;

  constructor(
    world: EngineWorld,
    server: ApiServer,
    informer: SharedInformer<KubernetesObject>,
    mostObjects: number,
  ) {
    // What waits unmerged, a list that waits as a whole, and two notifications for each key behind it.
    this.#mostPending = MOST_MERGE_ABOVE * 2 + mostObjects * 5;
    this.#world = world;
    this.#server = server;
    this.#informer = informer;
  }

  check(): void {
    const { indexer, hasSynced } = this.#informer;
    const version = indexer.lastStoreSyncResourceVersion;
    for (const key of this.#server.leftOut) this.#world.excuse(key);
    this.#server.leftOut.clear();
    if (hasSynced && !this.#hadSynced) this.#requestsWhenSynced = this.#server.requests.length;
    if (this.#hadSynced && !hasSynced) this.#world.violate('the informer is not synced any more');
    if (hasSynced && version === '') this.#world.violate('synced without a version');
    this.#hadSynced = hasSynced;
    // Nothing has changed since the last look.
    const looked = `${version} ${indexer.size} ${hasSynced}`;
    if (version === '' || looked === this.#checked) return;
    this.#checked = looked;
    if (compareResourceVersion(version, this.#version) === -1) {
      this.#world.violate(`the store went back from ${this.#version} to ${version}`);
    }
    this.#version = version;
    // Before that, the first list may be on its way in.
    if (hasSynced) this.#checkContents(version);
    this.#checkIndex();
    this.#checkQueues();
  }

  /** Exactly what the server has now. */
  get isRight(): boolean {
    return this.#informer.hasSynced && this.differences().length === 0;
  }

  /** Wrong only in what a list could not show. */
  get isExcused(): boolean {
    return (
      this.#informer.hasSynced &&
      this.differences().every((text) => this.#isExcused(text.split(' ')[0] ?? ''))
    );
  }

  differences(): string[] {
    const { history } = this.#world;
    return this.#compare(history.stateAt(history.latest));
  }

  isFoldRight(fold: ReadonlyMap<string, string>): boolean {
    const { history } = this.#world;
    const expected = new Map(
      [...history.stateAt(history.latest).values()].map((live) => [
        keyOf(live.name),
        `${live.uid}@${live.resourceVersion}`,
      ]),
    );
    return fold.size === expected.size && [...fold].every(([key, value]) => expected.get(key) === value);
  }

  /** Where the version held for all the time, nobody asked for the whole collection twice (S21). */
  checkEconomy(): void {
    const { isGentle, trace } = this.#world;
    // Three watches in a row that were cut at once: that is a reason.
    if (!isGentle || trace.sometimes.has('path watch-ended very-short relist')) return;
    const again = this.#server.requests
      .slice(this.#requestsWhenSynced)
      .filter(({ kind }) => kind !== 'watch');
    if (again.length > 0) this.#world.violate(`${again.length} lists while the version held`);
    else trace.count('path no list while the version held');
  }

  /**
   * The store is the server's at its version, except for what changes later: whoever watches from that version on is told of it. (A worker
   * without credit merges by key, and what it leaves out is older than what it will send.)
   */
  #checkContents(version: string): void {
    const { history } = this.#world;
    const revision = history.revisionOf(version);
    if (Number.isNaN(revision)) {
      this.#world.violate(`version ${version} was never given out`);
      return;
    }
    if (this.#server.lies.has(version)) return;
    for (const difference of this.#compare(history.stateAt(revision))) {
      const key = difference.split(' ')[0] ?? '';
      if (this.#isExcused(key) || this.#changesAfter(key, revision)) continue;
      this.#world.violate(`at ${version} the store is not what the server was: ${difference}`);
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
      if (!expected.has(entry.name)) differing.push(`${entry.key} is a ghost`);
    }
    return differing;
  }

  #changesAfter(key: string, revision: number): boolean {
    const { history } = this.#world;
    for (let later = revision + 1; later <= history.latest; later++) {
      if (keyOf(history.change(later).name) === key) return true;
    }
    return false;
  }

  /** Until something newer than what could not be shown is in the store. */
  #isExcused(key: string): boolean {
    const { excuses, history } = this.#world;
    const since = excuses.get(key);
    if (since === undefined) return false;
    const entry = this.#informer.indexer.getByKey(key);
    const isNewer = entry !== undefined && history.revisionOf(entry.resourceVersion) > since;
    if (isNewer) excuses.delete(key);
    return !isNewer;
  }

  /** However slow a handler is, what waits for it is bounded by the objects that there are (S20). */
  #checkQueues(): void {
    for (const { name, pending, isMerging } of this.#informer.health().handlers) {
      if (isMerging) this.#world.trace.count('path merging for a handler');
      if (pending > this.#mostPending) this.#world.violate(`${pending} notifications wait for ${name}`);
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
      this.#world.violate(
        `the index has ${values.join()}, the objects ${[...expected.keys()].sort().join()}`,
      );
    }
    for (const [node, keys] of expected) {
      const filed = indexer.indexKeys('byNode', node);
      if (!isDeepStrictEqual([...filed], keys))
        this.#world.violate(`the index of ${node} has ${filed.join()}`);
    }
  }
}
