import type { ControlRow } from '#dist/src/wire/batch.js';
import { type CellRow, CellWriter, type RowHeader, type RowType } from '#dist/src/wire/cells.js';
import { ScratchBuffers } from '#dist/src/wire/scratch-buffers.js';

/** Header and payload of a row. */
export interface RowContent {
  readonly header: RowHeader;
  readonly payload: Buffer;
}

export function cellRow(header: RowHeader, payload: Uint8Array): CellRow {
  const writer = new CellWriter(new ScratchBuffers(1024));
  writer.write(header, payload);
  return { cells: writer.cells, offset: 0 };
}

/** Copies the content of a row. */
export function contentOf(row: CellRow | ControlRow, indexes = 0): RowContent | ControlRow {
  if (!('cells' in row)) return row;
  const { cells, offset } = row;
  const header = {
    type: cells.typeAt(offset) as RowType,
    namespace: cells.namespaceAt(offset),
    name: cells.nameAt(offset),
    uid: cells.uidAt(offset),
    resourceVersion: cells.resourceVersionAt(offset),
    indexValues: Array.from({ length: indexes }, (_, index) => cells.indexValuesAt(offset, index) ?? []),
  };
  return {
    header,
    payload: Buffer.from(cells.bytes.subarray(cells.payloadStartAt(offset), cells.payloadEndAt(offset))),
  };
}
