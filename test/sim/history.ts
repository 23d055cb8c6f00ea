export interface Revision {
  readonly resourceVersion: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly name: string;
  readonly uid: string;
}

/** The state of one object as of a revision. */
export interface Live {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Every change ever made and the state after each, as etcd would keep them. Internally revisions are counted from 1;
 * clients see decimal strings with a base added, so that their length changes and 2^53 is crossed.
 */
export class History {
  readonly #base: bigint;
  readonly #revisions: Revision[] = [];
  /** `#states[n]` is the state after revision n; sorted by name. */
  readonly #states: ReadonlyMap<string, Live>[] = [new Map()];
  #uids = 0;

  constructor(base: bigint) {
    this.#base = base;
  }

  get latest(): number {
    return this.#revisions.length;
  }

  versionOf(revision: number): string {
    return String(this.#base + BigInt(revision));
  }

  /** NaN for a version that the server never sent. */
  revisionOf(resourceVersion: string): number {
    if (!/^[1-9][0-9]*$/.test(resourceVersion)) return Number.NaN;
    const revision = Number(BigInt(resourceVersion) - this.#base);
    return revision >= 0 && revision <= this.latest ? revision : Number.NaN;
  }

  stateAt(revision: number): ReadonlyMap<string, Live> {
    return this.#states[revision] as ReadonlyMap<string, Live>;
  }

  /** The change that created the revision. */
  change(revision: number): Revision {
    return this.#revisions[revision - 1] as Revision;
  }

  put(name: string): Revision {
    const before = this.stateAt(this.latest).get(name);
    const resourceVersion = this.versionOf(this.latest + 1);
    const uid = before?.uid ?? `uid-${++this.#uids}`;
    const entries = [...this.stateAt(this.latest).entries()].filter(([other]) => other !== name);
    entries.push([name, { name, uid, resourceVersion }]);
    return this.#commit(entries, {
      type: before === undefined ? 'ADDED' : 'MODIFIED',
      name,
      uid,
      resourceVersion,
    });
  }

  delete(name: string): Revision | undefined {
    const before = this.stateAt(this.latest).get(name);
    if (before === undefined) return undefined;
    const resourceVersion = this.versionOf(this.latest + 1);
    const entries = [...this.stateAt(this.latest).entries()].filter(([other]) => other !== name);
    return this.#commit(entries, { type: 'DELETED', name, uid: before.uid, resourceVersion });
  }

  #commit(entries: [string, Live][], revision: Revision): Revision {
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    this.#states.push(new Map(entries));
    this.#revisions.push(revision);
    return revision;
  }
}
