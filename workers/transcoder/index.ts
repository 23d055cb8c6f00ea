/** The exports of the module, for workers/decode/transcoder.ts. */

import { unseal } from './cursor';
import { transcodeEvent, transcodeEvents, transcodeItem, transcodeItems } from './document';
import { setMapFields } from './keys';
import { CELL, DOCUMENT, DOCUMENT_BYTES, WINDOW, WINDOW_BYTES } from './memory';
import {
  protobufEvent as transcodeProtobufEvent,
  protobufEvents as transcodeProtobufEvents,
  protobufItem as transcodeProtobufItem,
} from './protobuf/document';
import { reserveSchema, Schema, useSchema } from './protobuf/schema';
import { unknownFields } from './protobuf/wire';
import { freePlan, keepString, newPlan, Path, Plan, pathUnder, setPlan, takeRanges } from './plan';
import { RUN } from './run';
import { freeTable, isTableFull, ensureCapacity, newTable, setTable, Table } from './table';

export {
  freePlan,
  freeTable,
  isTableFull,
  newPlan,
  newTable,
  reserveSchema,
  setMapFields,
  unknownFields,
};

export const window: usize = WINDOW;
export const windowBytes: usize = WINDOW_BYTES;
export const document: usize = DOCUMENT;
export const documentBytes: usize = DOCUMENT_BYTES;
export const cell: usize = CELL;
export const run: usize = RUN;

export function planRoot(plan: Plan): Path {
  return plan.root;
}

/** 0 if the plan is full. */
export function planPath(plan: Plan, parent: Path, chars: usize, length: u32): usize {
  return changetype<usize>(pathUnder(plan, parent, chars, length));
}

export function planDrop(path: Path): void {
  path.isDropped = true;
}

export function planCapture(path: Path, number: u32): void {
  path.capture = number + 1;
}

export function planIndex(path: Path, index: u32): void {
  path.indexes |= 1 << index;
}

/** Values of this index count only in elements with an open gate. */
export function planGated(plan: Plan, index: u32): void {
  plan.gatedIndexes |= 1 << index;
}

export function planElement(path: Path): void {
  path.isElement = true;
}

export function planGate(path: Path): void {
  path.isGate = true;
}

/** The expected type, which payloads contain. False if the plan is full. */
export function planType(
  plan: Plan,
  kind: usize,
  kindLength: u32,
  apiVersion: usize,
  apiVersionLength: u32,
): bool {
  plan.kind = keepString(plan, kind, kindLength);
  plan.kindLength = kindLength;
  plan.apiVersion = keepString(plan, apiVersion, apiVersionLength);
  plan.apiVersionLength = apiVersionLength;
  return plan.kind != 0 && plan.apiVersion != 0;
}

/** Only metadata is kept; objects may also have this type. */
export function planPartial(
  plan: Plan,
  kind: usize,
  kindLength: u32,
  apiVersion: usize,
  apiVersionLength: u32,
): bool {
  plan.partialKind = keepString(plan, kind, kindLength);
  plan.partialKindLength = kindLength;
  plan.partialApiVersion = keepString(plan, apiVersion, apiVersionLength);
  plan.partialApiVersionLength = apiVersionLength;
  return plan.partialKind != 0 && plan.partialApiVersion != 0;
}

/** Items that do not carry their type have this kind; if it is empty, they have to carry it. */
export function planItems(plan: Plan, kind: usize, kindLength: u32): void {
  plan.itemKind = keepString(plan, kind, kindLength);
  plan.itemKindLength = kindLength;
  plan.areItemsTyped = kindLength > 0 && plan.itemKind != 0;
}

/** Whether a document with an unknown protobuf field is abandoned. Otherwise such fields are skipped and counted. */
export function planUnknown(plan: Plan, isAbandoned: bool): void {
  plan.isUnknownAbandoned = isAbandoned;
}

/** The address of so many ranges, each as the first and the last hash; 0 if the plan is full. */
export function planRanges(plan: Plan, count: u32): usize {
  return takeRanges(plan, count);
}

/** Before the documents of a piece: the memory may grow now, but not during documents. */
export function prepare(table: Table): void {
  setTable(table);
  ensureCapacity();
}

/** Returns the length of the cell at `cell`. */
export function item(table: Table, plan: Plan, from: usize, end: usize): u32 {
  setTable(table);
  setPlan(plan);
  return transcodeItem(from, end);
}

/**
 * Decodes complete items from `from` on, while at least `minBytes` of the next have arrived: see run.ts for the
 * results.
 */
export function items(table: Table, plan: Plan, from: usize, end: usize, minBytes: u32, maxBytes: u32): void {
  setTable(table);
  setPlan(plan);
  transcodeItems(from, end, minBytes, maxBytes);
}

export function event(table: Table, plan: Plan, from: usize, end: usize): u32 {
  setTable(table);
  setPlan(plan);
  return transcodeEvent(from, end);
}

/** Decodes complete events from `from` on: see run.ts for the results. */
export function events(table: Table, plan: Plan, from: usize, end: usize, maxBytes: u32): void {
  setTable(table);
  setPlan(plan);
  transcodeEvents(from, end, maxBytes);
}

/** Returns the length of the cell. */
export function protobufItem(table: Table, plan: Plan, schema: Schema, from: usize, end: usize): u32 {
  setTable(table);
  setPlan(plan);
  useSchema(schema);
  return transcodeProtobufItem(schema, from, end);
}

export function protobufEvent(table: Table, plan: Plan, schema: Schema, from: usize, end: usize): u32 {
  setTable(table);
  setPlan(plan);
  useSchema(schema);
  return transcodeProtobufEvent(schema, from, end);
}

/** The same as `events`. */
export function protobufEvents(
  table: Table,
  plan: Plan,
  schema: Schema,
  from: usize,
  end: usize,
  maxBytes: u32,
): void {
  setTable(table);
  setPlan(plan);
  useSchema(schema);
  transcodeProtobufEvents(schema, from, end, maxBytes);
}

export function definitionCount(table: Table): u32 {
  return table.definitions;
}

/** The address of the first definition's address and length: see `Table.definitionList`. */
export function definitionList(table: Table): usize {
  return table.definitionList;
}

/** After a trap, which is a bug. */
export function reset(): void {
  unseal();
}
