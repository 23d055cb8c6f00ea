export interface Revision {
  readonly resourceVersion: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly name: string;
  readonly uid: string;
  readonly era?: number;
}

/** The state of one object as of a revision. */
export interface Live {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** How often the server had been restored from a backup: another content at the same version. @default 0 */
  readonly era?: number;
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
  #era = 0;
  readonly #uidPrefix: string;

  constructor(base: bigint, uidPrefix = 'uid') {
    this.#base = base;
    this.#uidPrefix = uidPrefix;
  }

  /** The history of a server that was restored from a backup of this revision, and goes on from there. */
  fork(revision: number): History {
    const fork = new History(this.#base, this.#uidPrefix);
    fork.#revisions.push(...this.#revisions.slice(0, revision));
    fork.#states.push(...this.#states.slice(1, revision + 1));
    fork.#uids = this.#uids + 1;
    fork.#era = this.#era + 1;
    return fork;
  }

  /** Of an object's version. */
  eraOf(resourceVersion: string): number | undefined {
    const revision = this.revisionOf(resourceVersion);
    return Number.isNaN(revision) || revision === 0 ? undefined : this.change(revision).era;
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
    const uid = before?.uid ?? `${this.#uidPrefix}-${++this.#uids}`;
    const entries = [...this.stateAt(this.latest).entries()].filter(([other]) => other !== name);
    const era = this.#era === 0 ? {} : { era: this.#era };
    entries.push([name, { name, uid, resourceVersion, ...era }]);
    return this.#commit(entries, {
      type: before === undefined ? 'ADDED' : 'MODIFIED',
      name,
      uid,
      resourceVersion,
      ...era,
    });
  }

  delete(name: string): Revision | undefined {
    const before = this.stateAt(this.latest).get(name);
    if (before === undefined) return undefined;
    const resourceVersion = this.versionOf(this.latest + 1);
    const entries = [...this.stateAt(this.latest).entries()].filter(([other]) => other !== name);
    const era = this.#era === 0 ? {} : { era: this.#era };
    return this.#commit(entries, { type: 'DELETED', name, uid: before.uid, resourceVersion, ...era });
  }

  /** The same write again, with whatever content it has now. */
  redo({ type, name }: Revision): void {
    if (type === 'DELETED') this.delete(name);
    else this.put(name);
  }

  #commit(entries: [string, Live][], revision: Revision): Revision {
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    this.#states.push(new Map(entries));
    this.#revisions.push(revision);
    return revision;
  }
}
