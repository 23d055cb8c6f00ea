import type { Definition, DefinitionSource, DefinitionTable } from '../../src/wire/definitions.js';

export interface SharedDefinitionTableOptions<T> {
  readonly create: () => T;
  /** Nobody uses it any more, nor will. */
  readonly free?: (table: T) => void;
}

/** The table of one kind that the streams of a thread use. When it is full there is a new one; the old one lives as long as a stream uses it. */
export class SharedDefinitionTable<T extends DefinitionTable> {
  readonly #options: SharedDefinitionTableOptions<T>;
  readonly #users = new Map<T, number>();
  #current: T;

  constructor(options: SharedDefinitionTableOptions<T>) {
    this.#options = options;
    this.#current = options.create();
    this.#users.set(this.#current, 0);
  }

  /** To be closed. */
  open(): TableLease<T> {
    return new TableLease(this);
  }

  /** One that is not full, for one user more. */
  take(): T {
    const full = this.#current.isFull ? this.#current : undefined;
    if (full !== undefined) this.#current = this.#options.create();
    this.#use(this.#current, 1);
    if (full !== undefined) this.#use(full, 0);
    return this.#current;
  }

  leave(table: T): void {
    this.#use(table, -1);
  }

  isCurrent(table: T): boolean {
    return table === this.#current;
  }

  #use(table: T, more: number): void {
    const users = (this.#users.get(table) ?? 0) + more;
    this.#users.set(table, users);
    if (users > 0 || table === this.#current) return;
    this.#users.delete(table);
    this.#options.free?.(table);
  }
}

/** The table that a stream's payloads refer to. */
export interface RenewableSource extends DefinitionSource {
  /** There is a better one, or could be. */
  readonly isStale: boolean;
  /** Only while nothing that was made with the table waits to be sent. */
  renew(): void;
}

/** What one stream uses. */
export class TableLease<T extends DefinitionTable> implements RenewableSource {
  readonly #shared: SharedDefinitionTable<T>;
  #table: T;
  #isClosed = false;

  constructor(shared: SharedDefinitionTable<T>) {
    this.#shared = shared;
    this.#table = shared.take();
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
    this.#table = this.#shared.take();
    this.#shared.leave(before);
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#shared.leave(this.#table);
  }
}
