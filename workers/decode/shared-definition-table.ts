import type { Definition, DefinitionSource, DefinitionTable } from '../../src/wire/definitions.js';

export interface SharedDefinitionTableOptions<T> {
  readonly create: () => T;
  /** Called when a table is no longer used, and will not be again. */
  readonly free?: (table: T) => void;
}

/**
 * The table of one kind, shared by the streams of a thread. When it is full, it is replaced by a new one; the old one
 * is freed when no stream uses it any more.
 */
export class SharedDefinitionTable<T extends DefinitionTable> {
  readonly #options: SharedDefinitionTableOptions<T>;
  readonly #users = new Map<T, number>();
  #current: T;

  constructor(options: SharedDefinitionTableOptions<T>) {
    this.#options = options;
    this.#current = options.create();
    this.#users.set(this.#current, 0);
  }

  /** The lease has to be closed. */
  open(): TableLease<T> {
    return new TableLease(this);
  }

  /** A table that is not full; counts one more user. */
  acquire(): T {
    const full = this.#current.isFull ? this.#current : undefined;
    if (full !== undefined) this.#current = this.#options.create();
    this.#addUsers(this.#current, 1);
    if (full !== undefined) this.#addUsers(full, 0);
    return this.#current;
  }

  release(table: T): void {
    this.#addUsers(table, -1);
  }

  isCurrent(table: T): boolean {
    return table === this.#current;
  }

  #addUsers(table: T, count: number): void {
    const users = (this.#users.get(table) ?? 0) + count;
    this.#users.set(table, users);
    if (users > 0 || table === this.#current) return;
    this.#users.delete(table);
    this.#options.free?.(table);
  }
}

/** The table that a stream's payloads refer to. */
export interface RenewableSource extends DefinitionSource {
  /** There is a newer table, or the table is full. */
  readonly isStale: boolean;
  /** Only to be called while nothing encoded with the table waits to be sent. */
  renew(): void;
}

/** The use of a shared table by one stream. */
export class TableLease<T extends DefinitionTable> implements RenewableSource {
  readonly #shared: SharedDefinitionTable<T>;
  #table: T;
  #isClosed = false;

  constructor(shared: SharedDefinitionTable<T>) {
    this.#shared = shared;
    this.#table = shared.acquire();
  }

  get table(): T {
    return this.#table;
  }

  get tableId(): string {
    return this.#table.tableId;
  }

  get definitions(): readonly Definition[] {
    return this.#table.definitions;
  }

  get isStale(): boolean {
    return this.#table.isFull || !this.#shared.isCurrent(this.#table);
  }

  renew(): void {
    const before = this.#table;
    this.#table = this.#shared.acquire();
    this.#shared.release(before);
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#shared.release(this.#table);
  }
}
