import { itemTypeOf, type ObjectType } from '../../src/kube/item-type.js';
import { CONTROLLER_UID_PATH } from '../../src/kube/owner-reference.js';
import { parsePath } from '../../src/kube/path.js';
import type { DecodingOptions } from '../../src/wire/stream-task.js';
import type { ListHead } from '../split/item-splitter.js';
import { acceptedTypes, PARTIAL_METADATA } from './accepted-types.js';
import type { PathAddress, PlanAddress, Transcoder } from './transcoder.js';

/** Paths that are captured, with their numbers in workers/transcoder/plan.ts. */
const CAPTURED: readonly (readonly [number, readonly string[]])[] = [
  [1, ['kind']],
  [2, ['apiVersion']],
  [3, ['metadata', 'namespace']],
  [4, ['metadata', 'name']],
  [5, ['metadata', 'uid']],
  [6, ['metadata', 'resourceVersion']],
  [7, ['metadata']],
];

const OWNER_REFERENCES = ['metadata', 'ownerReferences'];

/** The indexes of a path are the bits of a word. */
const MAX_INDEXES = 32;

/** How many nested records the module has memory for. */
const MAX_DEPTH = 1000;

/** Keys are compared in their JSON form: the module does not support names that would be escaped there. */
const PLAIN_NAME = /^[ !#-[\]-~]+$/;

/**
 * Tells the module what to look for in the objects of a stream. Undefined if it does not support all of that: then the
 * reference decoder is used.
 */
export function openPlan(
  transcoder: Transcoder,
  decoding: DecodingOptions,
  depth: number,
): PlanAddress | undefined {
  const { exports } = transcoder;
  const drop = decoding.drop.map(parsePath);
  const indexes = decoding.indexPaths.map(fieldsOf);
  if (depth > MAX_DEPTH) return undefined;
  if (indexes.length > MAX_INDEXES || ![...drop, ...indexes].flat().every(isPlainName)) return undefined;
  if (drop.some(isCaptured) || indexes.some(isTypeField)) return undefined;
  const plan = exports.newPlan(depth, indexes.length);
  const root = exports.planRoot(plan);
  let isFull = !writeType(transcoder, plan, decoding);
  const pathAt = (path: readonly string[]): PathAddress => {
    let address = root;
    for (const name of path) {
      const next = exports.planPath(plan, address, transcoder.documentAddress, transcoder.write(name));
      if (next === 0) isFull = true;
      else address = next;
    }
    return address;
  };
  for (const [number, path] of CAPTURED) exports.planCapture(pathAt(path), number);
  if (!writeRanges(transcoder, plan, decoding)) isFull = true;
  for (const path of drop) exports.planDrop(pathAt(path));
  for (const [index, path] of indexes.entries()) {
    exports.planIndex(pathAt(path), index);
    if (decoding.indexPaths[index] !== CONTROLLER_UID_PATH) continue;
    exports.planGated(plan, index);
    exports.planElement(pathAt(OWNER_REFERENCES));
    exports.planGate(pathAt([...OWNER_REFERENCES, 'controller']));
  }
  if (!isFull) return plan;
  exports.freePlan(plan);
  return undefined;
}

function writeRanges(transcoder: Transcoder, plan: PlanAddress, { ranges }: DecodingOptions): boolean {
  if (ranges === undefined) return true;
  const address = transcoder.exports.planRanges(plan, ranges.length);
  for (const [i, { start, end }] of ranges.entries()) {
    transcoder.memory.writeBigUInt64LE(start, address + i * 16);
    transcoder.memory.writeBigUInt64LE(end - 1n, address + i * 16 + 8);
  }
  return address !== 0;
}

function fieldsOf(indexPath: string): readonly string[] {
  return indexPath === CONTROLLER_UID_PATH ? [...OWNER_REFERENCES, 'uid'] : parsePath(indexPath);
}

function writeType(transcoder: Transcoder, plan: PlanAddress, decoding: DecodingOptions): boolean {
  const { exports } = transcoder;
  const isWritten = withStrings(transcoder, decoding, (...strings) => exports.planType(plan, ...strings));
  if (decoding.form === 'object') return isWritten;
  return (
    withStrings(transcoder, PARTIAL_METADATA, (...strings) => exports.planPartial(plan, ...strings)) &&
    isWritten
  );
}

function withStrings(
  transcoder: Transcoder,
  { kind, apiVersion }: ObjectType,
  use: (kind: number, kindLength: number, apiVersion: number, apiVersionLength: number) => number,
): boolean {
  const address = transcoder.documentAddress;
  const kindLength = transcoder.write(kind, address);
  const apiVersionLength = transcoder.write(apiVersion, address + kindLength);
  return use(address, kindLength, address + kindLength, apiVersionLength) === 1;
}

/** Whether an object cannot be identified without this path. */
export function isCaptured(path: readonly string[]): boolean {
  return CAPTURED.some(([, captured]) => isWithin(captured, path));
}

/** Whether JSON does not escape the name. */
function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name);
}

/** The type is in payloads, but not in documents: items carry none, and partial metadata has another. */
function isTypeField(path: readonly string[]): boolean {
  return path.length === 1 && (path[0] === 'kind' || path[0] === 'apiVersion');
}

/** Tells the module the type of the items that follow, which do not carry it. Returns the type. */
export function planItems(
  transcoder: Transcoder,
  plan: PlanAddress,
  decoding: DecodingOptions,
  head: ListHead,
): ObjectType {
  const type = itemTypeOf(head) ?? decoding;
  const isAccepted = acceptedTypes(decoding).some(
    ({ kind, apiVersion }) => (kind === '' || kind === type.kind) && apiVersion === type.apiVersion,
  );
  const kindBytes = isAccepted && isPlainName(type.kind) ? transcoder.write(type.kind) : 0;
  transcoder.exports.planItems(plan, transcoder.documentAddress, kindBytes);
  return type;
}

function isWithin(path: readonly string[], ancestor: readonly string[]): boolean {
  return ancestor.every((name, i) => path[i] === name);
}
