import { describe, expect, it } from 'vitest';
import { newTableId } from '#dist/src/wire/definitions.js';
import { SharedDefinitionTable } from '#dist/workers/decode/shared-definition-table.js';

class Table {
  readonly tableId = newTableId();
  readonly definitions: string[] = [];
  isFull = false;
}

function fixture(): { readonly shared: SharedDefinitionTable<Table>; readonly freed: Table[] } {
  const freed: Table[] = [];
  return {
    shared: new SharedDefinitionTable({ create: () => new Table(), free: (table) => void freed.push(table) }),
    freed,
  };
}

describe('SharedDefinitionTable', () => {
  it('shares one table between all streams until it is full', () => {
    const { shared, freed } = fixture();
    const [one, two] = [shared.open(), shared.open()];
    expect(one.table).toBe(two.table);
    expect(one.isStale).toBe(false);
    one.close();
    two.close();
    expect(shared.open().table).toBe(two.table);
    expect(freed).toEqual([]);
  });

  it('gives a new table to a stream that is opened when the table is full, and to the others when they renew', () => {
    const { shared, freed } = fixture();
    const old = shared.open();
    const { table } = old;
    table.isFull = true;
    const young = shared.open();
    expect(young.table).not.toBe(table);
    expect(old.table).toBe(table);
    expect(old.isStale).toBe(true);
    expect(freed).toEqual([]);
    old.renew();
    expect(old.table).toBe(young.table);
    expect(old.isStale).toBe(false);
    expect(freed).toEqual([table]);
  });

  it('frees a table once, when its last stream has released it', () => {
    const { shared, freed } = fixture();
    const leases = [shared.open(), shared.open(), shared.open()];
    const table = leases[0]?.table as Table;
    table.isFull = true;
    leases[0]?.renew();
    leases[1]?.close();
    leases[1]?.close();
    expect(freed).toEqual([]);
    leases[2]?.renew();
    expect(freed).toEqual([table]);
  });

  it('frees a full table without users when the next stream is opened', () => {
    const { shared, freed } = fixture();
    const lease = shared.open();
    const { table } = lease;
    lease.close();
    table.isFull = true;
    expect(shared.open().table).not.toBe(table);
    expect(freed).toEqual([table]);
  });
});
